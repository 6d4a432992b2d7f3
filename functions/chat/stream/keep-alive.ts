import { Deadline, expired } from './deadline.ts';

/** Adds a comment to the events after each interval of silence, so that proxies keep the connection open. */
export async function* keepAlive(events: AsyncGenerator<string>, intervalMilliseconds: number): AsyncGenerator<string> {
  let next = events.next();
  for (;;) {
    const result = await new Deadline(intervalMilliseconds).wait(next);
    if (result === expired) {
      yield ': ping\n\n';
    } else {
      if (result.done) return;
      yield result.value;
      next = events.next();
    }
  }
}
