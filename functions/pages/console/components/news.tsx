import { useQuery } from '@tanstack/react-query';
import type { ApiClient, RequestOptions } from '../../../openapi/client/client.ts';
import { formatNumber } from '../formats.ts';
import { useService } from '../service.tsx';

/** The interval at which a visible page asks for what is new. */
const pollMilliseconds = 10_000;

type NewsProps = {
  /** The name of the list, and where it begins now. A list that is read again begins elsewhere. */
  name: unknown[];
  one: string;
  several: string;
  isEnabled: boolean;
  /** Returns how many items are new. */
  count(api: ApiClient, options: RequestOptions): Promise<number>;
  onShow(): void;
};

/** Says how many items a list would have at its top, which move nothing until they are asked for. */
export const News = ({ name, one, several, isEnabled, count, onShow }: NewsProps) => {
  const { api } = useService();
  const { data = 0 } = useQuery({
    queryKey: ['news', ...name],
    queryFn: ({ signal }) => count(api, { signal }),
    enabled: isEnabled,
    refetchInterval: pollMilliseconds,
    // What is new a moment after the list was read is asked for by the interval alone.
    initialData: 0,
    staleTime: pollMilliseconds,
  });
  return (
    <p className="news" role="status">
      {data > 0 && (
        <button type="button" className="quiet small" onClick={onShow}>
          {formatNumber(data)} {data === 1 ? one : several}
        </button>
      )}
    </p>
  );
};
