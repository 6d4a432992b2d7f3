import { type Measured, metricNames } from '../domain/metrics.ts';
import { environment } from '../environment.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { ApiEvent, Internal } from './handler-types.ts';
import { readInnerCall } from './read-inner-call.ts';

/**
 * Returns the fields of a log line from which CloudWatch makes metrics (embedded metric format). A request that the service sends
 * to itself is measured in that of its caller.
 */
export const describeMetrics = (
  endpoint: AnyEndpoint,
  event: ApiEvent,
  { parsed, isLate }: Internal,
  { status, milliseconds }: { status: number; milliseconds: number },
): Record<string, unknown> => {
  if (readInnerCall(event)) return {};
  const { class: name, platform } = endpoint.measuredAs?.(parsed?.input) ?? ({ class: 'management' } as Measured);
  return {
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [
        {
          Namespace: environment.metricNamespace,
          Dimensions: platform === undefined ? [['class']] : [['class'], ['class', 'platform']],
          Metrics: [
            { Name: metricNames.requests, Unit: 'Count' },
            { Name: metricNames.faults, Unit: 'Count' },
            { Name: metricNames.milliseconds, Unit: 'Milliseconds' },
          ],
        },
      ],
    },
    class: name,
    platform,
    [metricNames.requests]: 1,
    [metricNames.faults]: status >= 500 || isLate ? 1 : 0,
    [metricNames.milliseconds]: milliseconds,
  };
};
