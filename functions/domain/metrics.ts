/** The classes of requests that are measured apart. Six series stay cheap; eighty operations would not. */
export type MetricClass = 'call-start' | 'call-end' | 'search' | 'chat' | 'management' | 'mcp';
/** The class of a request, and the voice platform of a start or an end. */
export type Measured = { class: MetricClass; platform?: string };

export const metricNames = {
  requests: 'Requests',
  faults: 'Faults',
  milliseconds: 'Milliseconds',
  badStarts: 'BadStarts',
} as const;

/** A good start of a call is answered without a fault within this time. */
export const maxGoodStartMilliseconds = 1000;
