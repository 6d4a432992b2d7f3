/** Aborts on SIGINT, SIGTERM or SIGHUP; a second signal ends the process. Dispose of it to stop listening. */
export const interruption = (reason?: Error): { signal: AbortSignal; [Symbol.dispose](): void } => {
  const controller = new AbortController();
  const abort = () => {
    stopListening();
    controller.abort(reason);
  };
  const stopListening = () => {
    for (const signal of signals) process.removeListener(signal, abort);
  };
  for (const signal of signals) process.on(signal, abort);
  return { signal: controller.signal, [Symbol.dispose]: stopListening };
};

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
