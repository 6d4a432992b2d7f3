/** A message of the emulator. */
type Message = { body: string };
/** What this file uses of a queue of the emulator, which has no option for another order of its messages. */
type EmulatedQueue = { messages: Iterable<Message>; inflightMessages: Map<string, { message: Message }> };
type Dequeue = (this: EmulatedQueue, ...options: unknown[]) => unknown;

/**
 * The messages that wait in a queue. The next message is of the group with the fewest messages in flight, in turn, as in
 * SQS's fair queues.
 */
export class FairMessages<M extends object> implements Iterable<M> {
  readonly #findGroup: (message: M) => string;
  readonly #waiting = new Map<string, M[]>();
  #inFlight = new Map<string, number>();
  length = 0;

  constructor(findGroup: (message: M) => string, messages: Iterable<M> = []) {
    this.#findGroup = findGroup;
    for (const message of messages) this.push(message);
  }

  push(message: M): void {
    const group = this.#findGroup(message);
    const waiting = this.#waiting.get(group) ?? [];
    waiting.push(message);
    this.#waiting.set(group, waiting);
    this.length++;
  }

  /** Takes the next message. It counts as in flight until `count` counts again. */
  shift(): M | undefined {
    let [next, fewest] = ['', Number.POSITIVE_INFINITY];
    for (const group of this.#waiting.keys()) {
      const count = this.#inFlight.get(group) ?? 0;
      if (count < fewest) [next, fewest] = [group, count];
      if (fewest === 0) break;
    }
    const waiting = this.#waiting.get(next);
    const message = waiting?.shift();
    if (!waiting || !message) return undefined;
    // The group goes to the end of those with as many.
    this.#waiting.delete(next);
    if (waiting.length > 0) this.#waiting.set(next, waiting);
    this.#inFlight.set(next, fewest + 1);
    this.length--;
    return message;
  }

  /** Counts the messages that are in flight. */
  count(inFlight: Iterable<M>): void {
    this.#inFlight = new Map();
    for (const message of inFlight) {
      const group = this.#findGroup(message);
      this.#inFlight.set(group, (this.#inFlight.get(group) ?? 0) + 1);
    }
  }

  *[Symbol.iterator](): Generator<M> {
    for (const waiting of this.#waiting.values()) yield* waiting;
  }
}

let isFair = false;

/** Makes the queues of the emulator fair among groups, which a function reads from the body of a message. */
export const makeQueuesFair = async (readGroup: (body: string) => string): Promise<void> => {
  if (isFair) return;
  isFair = true;
  const { SqsQueue } = await import(new URL('sqs/sqsStore.js', import.meta.resolve('fauxqs')).href);
  const groups = new WeakMap<Message, string>();
  const findGroup = (message: Message) => {
    const group = groups.get(message) ?? readGroup(message.body);
    groups.set(message, group);
    return group;
  };
  const queue = SqsQueue.prototype as { dequeue: Dequeue };
  const { dequeue } = queue;
  queue.dequeue = function (...options) {
    if (!(this.messages instanceof FairMessages)) this.messages = new FairMessages(findGroup, this.messages);
    (this.messages as FairMessages<Message>).count([...this.inflightMessages.values()].map(({ message }) => message));
    return dequeue.apply(this, options);
  };
};
