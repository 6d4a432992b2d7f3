import { expect, it } from 'vitest';
import { FairMessages } from '../../../bin/local/fair-messages.ts';

type Message = { user: string; n: number };
const makeMessages = (user: string, count: number): Message[] => Array.from({ length: count }, (_, n) => ({ user, n }));
const take = (messages: FairMessages<Message>, count: number) =>
  Array.from({ length: count }, () => messages.shift()).map((message) => message && `${message.user} ${message.n}`);

it('groups get their turns, each in the order of its messages, whatever the number of their messages', () => {
  const messages = new FairMessages(({ user }: Message) => user, makeMessages('much', 40_000));
  expect(take(messages, 2)).toEqual(['much 0', 'much 1']);
  for (const message of [...makeMessages('little', 2), ...makeMessages('other', 1)]) messages.push(message);
  expect(messages.length).toBe(40_001);
  expect(take(messages, 6)).toEqual(['little 0', 'other 0', 'little 1', 'much 2', 'much 3', 'much 4']);
  expect([...messages][0]).toEqual({ user: 'much', n: 5 });
});

it('a group whose messages are in flight comes after all others, until they are completed', () => {
  const messages = new FairMessages(({ user }: Message) => user);
  for (const message of [...makeMessages('slow', 3), ...makeMessages('quick', 4)]) messages.push(message);
  const slow = makeMessages('slow', 2);
  messages.count(slow);
  expect(take(messages, 2)).toEqual(['quick 0', 'quick 1']);
  messages.count(slow);
  expect(take(messages, 2)).toEqual(['quick 2', 'quick 3']);
  expect(take(messages, 3)).toEqual(['slow 0', 'slow 1', 'slow 2']);
  expect(take(messages, 1)).toEqual([undefined]);
});
