import { type ApiKey, dataOf, readLimits } from '../../../openapi/client/client.ts';
import { TextField } from '../components/fields.tsx';
import { formatNumber } from '../formats.ts';
import { useRead, useService } from '../service.tsx';

/** How many requests a key may make in a minute. */
export const LimitField = ({ value }: { value?: number | undefined }) => (
  <TextField
    label="Requests per minute"
    name="requestsPerMinute"
    type="number"
    min={1}
    max={100_000}
    note="Without a number, the key has no limit. Operations that a call waits for do not count."
    defaultValue={value}
  />
);

/** Returns the limit of a form. Null stands for none. */
export const parseLimit = (text: string | undefined): number | null => (text ? Number(text) : null);

/** The limit of a key. How much of it is used is known of the key that this page uses: its responses say so. */
export const LimitOfKey = ({ apiKey: { keyId, requestsPerMinute } }: { apiKey: ApiKey }) => {
  const isOwn = useService().keyId === keyId;
  if (requestsPerMinute === undefined) return 'None';
  return (
    <>
      {formatNumber(requestsPerMinute)} a minute
      {isOwn && <Used limit={requestsPerMinute} />}
    </>
  );
};

const Used = ({ limit }: { limit: number }) => {
  const { remaining } =
    useRead(['key-limit'], async (api, options) => {
      const result = await api.key.get(options);
      dataOf(result);
      return { data: readLimits(result.response), response: result.response };
    }).data ?? {};
  return remaining !== undefined && <p className="faint">Used in the last minute: {formatNumber(limit - remaining)}</p>;
};
