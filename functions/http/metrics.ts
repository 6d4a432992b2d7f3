import { type Measured, maxGoodStartMilliseconds, metricNames } from '../domain/metrics.ts';
import { environment } from '../environment.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { ApiEvent, Internal } from './handler-types.ts';
import { readInnerCall } from './read-inner-call.ts';

const count = (Name: string) => ({ Name, Unit: 'Count' });
const requests = count(metricNames.requests);
const faults = count(metricNames.faults);
const badStarts = count(metricNames.badStarts);
const milliseconds = { Name: metricNames.milliseconds, Unit: 'Milliseconds' };

/**
 * Returns the fields of a log line from which CloudWatch makes metrics (embedded metric format). A request that the service sends
 * to itself is measured in that of its caller. CloudWatch charges for each metric in each hour with a value: faults and bad starts
 * are metrics only when there are any, and the requests of a platform are the sample count of its milliseconds.
 */
export const describeMetrics = (
  endpoint: AnyEndpoint,
  event: ApiEvent,
  { parsed, isLate }: Internal,
  request: { status: number; milliseconds: number },
): Record<string, unknown> => {
  if (readInnerCall(event)) return {};
  const { class: name, platform } = endpoint.measuredAs?.(parsed?.input) ?? ({ class: 'management' } as Measured);
  const isFault = request.status >= 500 || isLate === true;
  const isBad = name === 'call-start' && (isFault || request.milliseconds > maxGoodStartMilliseconds);
  const ofEach = isFault ? [milliseconds, faults] : [milliseconds];
  const ofClass = [requests, ...ofEach, ...(isBad ? [badStarts] : [])];
  const directive = (dimensions: string[], metrics: object[]) => ({
    Namespace: environment.metricNamespace,
    Dimensions: [dimensions],
    Metrics: metrics,
  });
  return {
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [
        directive(['class'], ofClass),
        ...(platform === undefined ? [] : [directive(['class', 'platform'], ofEach)]),
      ],
    },
    class: name,
    platform,
    [metricNames.requests]: 1,
    [metricNames.faults]: isFault ? 1 : 0,
    [metricNames.milliseconds]: request.milliseconds,
    [metricNames.badStarts]: isBad ? 1 : undefined,
  };
};
