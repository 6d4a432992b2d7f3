import { type Span, sendSpansTo } from '../../functions/spans.ts';

/** The kinds of OpenTelemetry's protocol. */
const kinds = { job: 1, server: 2, client: 3 } as const;
const intervalMilliseconds = 2000;
const timeoutMilliseconds = 5000;
const maxSpans = 2000;

/** Sends the spans of a local run to a collector: OTLP over HTTP, as JSON. A collector that does not answer loses them. */
export const startSpanExport = (endpoint: string): (() => Promise<void>) => {
  const address = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  let spans: Span[] = [];
  sendSpansTo((span) => {
    if (spans.length < maxSpans) spans.push(span);
  });
  const flush = async () => {
    const sent = spans;
    spans = [];
    if (sent.length === 0) return;
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    const headers = { 'content-type': 'application/json' };
    await fetch(address, { method: 'POST', headers, signal, body: JSON.stringify(toRequest(sent)) }).then(
      (response) => response.body?.cancel(),
      () => {},
    );
  };
  const timer = setInterval(() => void flush(), intervalMilliseconds).unref();
  return async () => {
    clearInterval(timer);
    sendSpansTo(undefined);
    await flush();
  };
};

/** Returns spans as an `ExportTraceServiceRequest`. */
const toRequest = (spans: Span[]) => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'voice-agent-platform-api' } }] },
      scopeSpans: [{ scope: { name: 'voice-agent-platform-api' }, spans: spans.map(toSpan) }],
    },
  ],
});

const toSpan = ({ trace, spanId, kind, name, startedAt, endedAt, isFailed }: Span) => ({
  traceId: trace.traceId,
  spanId,
  parentSpanId: trace.parentId,
  traceState: trace.state,
  name,
  kind: kinds[kind],
  startTimeUnixNano: toNanoseconds(startedAt),
  endTimeUnixNano: toNanoseconds(endedAt),
  attributes: [],
  status: { code: isFailed ? 2 : 0 },
});

const toNanoseconds = (milliseconds: number) => `${Math.round(milliseconds)}000000`;
