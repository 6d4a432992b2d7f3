import { limits } from '../../../domain/limits.ts';
import type { WebhookDelivery } from '../../../openapi/client/client.ts';
import { type Series, StackedBars } from '../components/chart.tsx';
import { type Column, Table } from '../components/paged-table.tsx';
import { Details, Loaded } from '../components/parts.tsx';
import { useTimeZone } from '../components/values.tsx';
import { addDays, formatDate, formatNumber, toDateInZone } from '../formats.ts';
import { useRead } from '../service.tsx';

/** The number of deliveries that are counted, the newest ones. */
const maxCounted = limits.pageItems;

const colors: Record<WebhookDelivery['status'], { name: string; color: number }> = {
  delivered: { name: 'Delivered', color: 7 },
  failed: { name: 'Failed', color: 6 },
  pending: { name: 'Pending', color: 9 },
};

/** How many events of each day an endpoint got, as a chart and as a table. */
export const Successes = ({ endpointId }: { endpointId: string }) => {
  const timeZone = useTimeZone();
  const newest = useRead(['webhooks', 'successes', endpointId], (api, options) =>
    api.webhooks.listDeliveries({ endpointId, limit: maxCounted }, options),
  );
  return (
    <Loaded query={newest} rows={6}>
      {({ deliveries, nextCursor }) => {
        if (deliveries.length === 0) return null;
        const { days, series } = countByDay(deliveries, nextCursor !== undefined, timeZone);
        const title = nextCursor ? `The newest ${formatNumber(maxCounted)} deliveries by day` : 'Deliveries a day';
        const labels = days.map((day) => formatDate(day));
        const columns: Column<number>[] = series.map(({ name, values }) => ({
          heading: name,
          cell: (index) => formatNumber(values[index] ?? 0),
          isNumber: true,
        }));
        return (
          <>
            <StackedBars title={title} labels={labels} series={series} isLastOpen format={formatNumber} />
            <Details title="The chart as a table">
              <Table
                caption={title}
                items={days.map((_, index) => days.length - 1 - index)}
                keyOf={String}
                columns={[{ heading: 'Day', cell: (index) => labels[index] }, ...columns]}
              />
            </Details>
          </>
        );
      }}
    </Loaded>
  );
};

/** Counts deliveries by day and status: all days of which deliveries are kept, or those since the oldest one that was read. */
const countByDay = (deliveries: WebhookDelivery[], isPart: boolean, timeZone: string) => {
  const today = toDateInZone(timeZone);
  const findDay = ({ createdAt }: WebhookDelivery) => toDateInZone(timeZone, new Date(createdAt));
  const oldest = deliveries.at(-1);
  const from = isPart && oldest ? findDay(oldest) : addDays(today, 1 - limits.webhookDays);
  const days: string[] = [];
  for (let day = from; day <= today; day = addDays(day, 1)) days.push(day);
  const byStatus = Map.groupBy(deliveries, ({ status }) => status);
  const series: Series[] = Object.entries(colors).flatMap(([status, { name, color }]) => {
    const chosen = byStatus.get(status as WebhookDelivery['status']) ?? [];
    const counts = Map.groupBy(chosen, findDay);
    return chosen.length > 0 ? [{ name, color, values: days.map((day) => counts.get(day)?.length ?? 0) }] : [];
  });
  return { days, series };
};
