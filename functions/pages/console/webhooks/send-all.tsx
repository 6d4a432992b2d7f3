import { useRef, useState } from 'react';
import { chunks } from '../../../domain/chunks.ts';
import { limits } from '../../../domain/limits.ts';
import {
  type ApiClient,
  dataOf,
  type ListWebhookDeliveriesResponse,
  type RequestOptions,
} from '../../../openapi/client/client.ts';
import { DialogButton, FormDialog } from '../components/dialog.tsx';
import { Loaded } from '../components/parts.tsx';
import { Report } from '../components/report.tsx';
import { useTimeZone } from '../components/values.tsx';
import { formatNumber, formatTime } from '../formats.ts';
import { describeFailure, useChange, useRead } from '../service.tsx';

const deliveriesAtOnce = 4;
const maxDeliveries = limits.pageItems;

type Props = { endpointId: string | undefined };
type Failure = { what: string; why: string };

/** Sends everything that failed again, and says what could not be sent. */
export const SendAllAgain = ({ endpointId }: Props) => (
  <DialogButton label="Send all failed again" className="quiet">
    {(onClose) => <SendAllDialog endpointId={endpointId} onClose={onClose} />}
  </DialogButton>
);

const SendAllDialog = ({ endpointId, onClose }: Props & { onClose(): void }) => {
  const timeZone = useTimeZone();
  const stopping = useRef(new AbortController());
  const [sent, setSent] = useState(0);
  const failed = useRead(['webhooks', 'failed', endpointId], (api, options) =>
    api.webhooks.listDeliveries({ endpointId, status: 'failed', limit: maxDeliveries }, options),
  );
  const { deliveries = [], nextCursor }: Partial<ListWebhookDeliveriesResponse> = failed.data ?? {};
  const sending = useChange(
    async (api: ApiClient, _: RequestOptions) => {
      const { signal } = stopping.current;
      const failures: Failure[] = [];
      let count = 0;
      for (const some of chunks(deliveries, deliveriesAtOnce)) {
        if (signal.aborted) break;
        await Promise.all(
          some.map(async ({ deliveryId, type, createdAt }) => {
            try {
              dataOf(await api.webhooks.redeliver({ deliveryId }, { signal }));
              count++;
            } catch (error) {
              const time = formatTime(createdAt, timeZone, { timeStyle: 'medium' });
              failures.push({ what: `${type} of ${time}`, why: describeFailure(error as Error) });
            }
          }),
        );
        setSent((sent) => sent + some.length);
      }
      return { data: { count, failures }, response: new Response() };
    },
    {
      changes: [
        ['webhooks', 'deliveries'],
        ['webhooks', 'successes'],
        ['webhooks', 'failed'],
      ],
    },
  );
  const close = () => {
    stopping.current.abort();
    onClose();
  };
  const { data } = sending;
  return (
    <FormDialog
      title="Send all failed again?"
      resultTitle="Sent again"
      result={
        data && (
          <Report
            text={`Events sent again: ${formatNumber(data.count)}.`}
            caption="Events that could not be sent"
            what="Event"
            failures={data.failures}
            onDone={onClose}
          />
        )
      }
      change={sending}
      submit={`Send ${formatNumber(deliveries.length)} again`}
      pending="Sending …"
      isDisabled={deliveries.length === 0}
      onSubmit={() => sending.mutate(undefined)}
      onClose={close}
    >
      <Loaded query={failed} rows={1}>
        {() => (
          <>
            <p>
              {deliveries.length === 0
                ? 'No delivery has failed.'
                : `Deliveries that failed: ${formatNumber(deliveries.length)}${nextCursor ? ', and older ones' : ''}. Each event is sent with the id that it had, and as often as the first time.`}
            </p>
            {sending.isPending && (
              <div className="progress">
                <progress aria-label="Events sent again" max={deliveries.length} value={sent} />
                <span>
                  {formatNumber(sent)} of {formatNumber(deliveries.length)}
                </span>
              </div>
            )}
          </>
        )}
      </Loaded>
    </FormDialog>
  );
};
