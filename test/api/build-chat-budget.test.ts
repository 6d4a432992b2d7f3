import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ChatUsage } from '../../functions/chat/chat-usage.ts';
import { Signatures } from '../../functions/chat/signatures.ts';
import { TokenMeter } from '../../functions/chat/token-meter.ts';
import { Turn } from '../../functions/chat/turn.ts';
import { newApiKey } from '../../functions/domain/api-keys.ts';
import { chatTokensKey, type ItemKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { anyAddress, callsTool, model, says, talk, userSays } from '../support/chat.ts';
import { newWorld, target, unique, useTargetInThisProcess } from '../support/world.ts';

describe('the limits for callers', () => {
  it('the chat’s limit for one address applies to concurrent requests, and to no other address', async () => {
    useTargetInThisProcess();
    const usage = new ChatUsage(table.get(), { turnsPerMinute: 3, tokensPerDay: 1_000_000 });
    const address = anyAddress();
    const chatModel = model(says('Hello.'));
    const answers = await Promise.all(Array.from({ length: 8 }, () => talk(chatModel, { address, usage })));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(5);
    expect(refused[0]?.body).toEqual({ error: 'rate_limited', message: expect.any(String) });
    const retryAfter = Number(refused[0]?.headers['retry-after']);
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(chatModel.doStreamCalls).toHaveLength(3);
    expect((await talk(chatModel, { address: anyAddress(), usage })).status).toBe(200);
  });

  it('an invalid conversation and an unknown key count against the rate of their address', async () => {
    useTargetInThisProcess();
    const usage = new ChatUsage(table.get(), { turnsPerMinute: 3, tokensPerDay: 1_000_000 });
    const chatModel = model(says('Hello.'));
    const address = anyAddress();
    const invalid = [{ messages: [] }, { body: { id: 5 } }, { apiKey: newApiKey() }, {}];
    const statuses = [];
    for (const options of invalid) statuses.push((await talk(chatModel, { address, usage, ...options })).status);
    expect(statuses).toEqual([400, 400, 401, 429]);
  });

  it('a conversation of a hundred thousand invalid parts gets a short error', async () => {
    const parts = Array.from({ length: 80_000 }, () => ({}));
    const { status, text } = await talk(model(says('Hello.')), { messages: [{ id: '1', role: 'assistant', parts }] });
    expect(status).toBe(400);
    expect(text.length).toBeLessThan(2000);
  });

  it('the chat of a local run can be used under every name of the machine', { tags: 'local-only' }, async () => {
    const base = target.baseUrl.replace('127.0.0.1', 'localhost');
    const response = await fetch(`${base}/chat/build`, { method: 'POST', headers: { origin: base }, body: '{}' });
    expect(response.status).toBe(400);
  });

  it('the chat’s rate limit applies to any sixty seconds, not only to a minute of the clock', async () => {
    useTargetInThisProcess();
    const usage = new ChatUsage(table.get(), { turnsPerMinute: 10, tokensPerDay: 1 });
    const address = anyAddress();
    const minute = Math.ceil(Date.now() / 60_000) * 60_000;
    const at = vi.spyOn(Date, 'now');
    const turns = async (milliseconds: number, times: number) => {
      at.mockReturnValue(minute + milliseconds);
      let admitted = 0;
      for (let turn = 0; turn < times; turn++) if (!(await usage.countTurn(address))) admitted += 1;
      return admitted;
    };
    expect(await turns(55_000, 20)).toBe(10);
    expect(await turns(61_000, 5)).toBe(0);
    expect(await turns(66_500, 5)).toBe(1);
    expect(await turns(90_000, 20)).toBe(4);
    expect(await turns(185_000, 20)).toBe(10);
  });

  it('the chat’s rate limit counts the addresses of one IPv6 network, and the spellings of one address, as one', async () => {
    useTargetInThisProcess();
    const usage = new ChatUsage(table.get(), { turnsPerMinute: 1, tokensPerDay: 1 });
    const network = `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}`;
    const four = anyAddress();
    const admitted = [];
    for (const address of [
      `${network}::1`,
      `${network}:ffff:1:2:3`,
      `${network.toUpperCase()}::`,
      four,
      `::ffff:${four}`,
      '2001:db8::1%eth0',
    ]) {
      admitted.push((await usage.countTurn(address)) === undefined);
    }
    expect(admitted.slice(0, 5)).toEqual([true, false, false, true, false]);
  });

  /** A random future day, on which no other test counts. */
  const onItsOwnDay = (tokensPerDay: number) => {
    useTargetInThisProcess();
    const day = new Date(Date.now() + (1 + Math.floor(Math.random() * 5_000)) * 86_400_000);
    vi.useFakeTimers({ toFake: ['Date'], now: day });
    const usage = new ChatUsage(table.get(), { turnsPerMinute: 30, tokensPerDay });
    const used = async () => {
      const key = chatTokensKey(day.toISOString().slice(0, 10));
      return (await table.get().get<ItemKey & { tokens: number }>(key))?.tokens;
    };
    return { usage, used };
  };

  afterEach(() => {
    vi.useRealTimers();
  });

  it('one user gets a share of the day’s tokens, and leaves the rest to others', async () => {
    const { used } = onItsOwnDay(100_000);
    const limits = { turnsPerMinute: 30, tokensPerDay: 100_000, userSharePercent: 25 };
    const usage = new ChatUsage(table.get(), limits);
    const [one, other] = [unique('user'), unique('user')];
    expect(await usage.budget({ uid: one }).reserve(20_000)).toBeUndefined();
    expect(await usage.budget({ uid: one }).reserve(20_000)).toBeUndefined();
    expect(await usage.budget({ uid: one }).reserve(1)).toMatchObject({ seconds: expect.any(Number) });
    expect(await usage.budget({ uid: other }).reserve(20_000)).toBeUndefined();
    expect(await used()).toBe(60_000);
  });

  it('tokens are estimated by bytes, so that no script is counted at a fraction', async () => {
    const reserved: number[] = [];
    const budget = { isAnonymous: false, settle: async () => {} };
    const meter = new TokenMeter({ ...budget, reserve: async (tokens) => void reserved.push(tokens) });
    await meter.reserve('', ['漢'.repeat(30_000)]);
    await meter.reserve('', ['a'.repeat(30_000)]);
    expect(reserved.map((tokens) => Math.round((tokens - meter.maxOutputTokens) / 1000))).toEqual([30, 10]);
  });

  it('the day’s tokens of the chat are reserved before each model call and returned when they were not used', async () => {
    const { usage, used } = onItsOwnDay(1_000);
    const first = usage.budget({ uid: 'user-1' });
    expect(await first.reserve(900)).toBeUndefined();
    await first.settle(400);
    await first.settle(400);
    const second = usage.budget({ uid: 'user-1' });
    expect(await second.reserve(700)).toBeUndefined();
    const third = usage.budget({ uid: 'user-1' });
    const retryAfter = await third.reserve(1);
    expect(retryAfter?.seconds).toBeGreaterThan(0);
    expect(retryAfter?.seconds).toBeLessThanOrEqual(86_400);
    await second.settle(0);
    expect(await third.reserve(1)).toBeUndefined();
    expect(await used()).toBe(401);
  });

  it('one address without a key gets a twentieth of the chat’s daily tokens, and a rejected request releases its reservation', async () => {
    const { usage, used } = onItsOwnDay(100_000);
    const address = anyAddress();
    const budgets = Array.from({ length: 5 }, () => usage.budget({ address }));
    const reserved = await Promise.all(budgets.map((budget) => budget.reserve(2_000)));
    expect(reserved.filter((retryAfter) => retryAfter === undefined)).toHaveLength(2);
    expect(await used()).toBe(4_000);
    for (const [index, budget] of budgets.entries()) if (!reserved[index]) await budget.settle(500);
    expect(await used()).toBe(1_000);
    expect(await usage.budget({ address }).reserve(4_000)).toBeUndefined();
    expect(await usage.budget({ address: anyAddress() }).reserve(5_000)).toBeUndefined();
    // The day is used up: what its address had reserved is returned.
    await usage.budget({ uid: 'user-1' }).reserve(90_000);
    const other = anyAddress();
    expect(await usage.budget({ address: other }).reserve(3_000)).toBeDefined();
    await usage.budget({ uid: 'user-1' }).settle(-90_000);
    expect(await usage.budget({ address: other }).reserve(5_000)).toBeUndefined();
  });

  it('the chat responds with 429 without a key while a key holder continues', async () => {
    const world = await newWorld();
    const { usage } = onItsOwnDay(100_000);
    const address = anyAddress();
    const send = (apiKey?: string) => talk(model(says('Hello.')), { usage, address, apiKey });
    const answers = [];
    do answers.push(await send());
    while (answers.at(-1)?.status === 200 && answers.length < 100);
    expect(answers.length).toBeGreaterThan(2);
    expect(answers.at(-1)).toMatchObject({
      status: 429,
      body: { error: 'chat_budget_exhausted', message: expect.stringContaining('without an API key') },
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
    expect((await send(world.apiKey)).status).toBe(200);
  });

  it('a turn of the chat ends when it has used the day’s last tokens', async () => {
    const { usage, used } = onItsOwnDay(1_000);
    const chatModel = model(callsTool('checkNumbers', { numbers: ['1'] }), says('Never said.'));
    const answer = await talk(chatModel, { usage });
    expect(chatModel.doStreamCalls).toHaveLength(1);
    expect(answer.chunks.at(-1)).toEqual({
      type: 'error',
      errorText: expect.stringContaining('usage limit'),
    });
    // The usage that the model reports.
    expect(await used()).toBe(120);
  });

  it('the chat’s answer to a client that disconnected is counted by the length of its text', async () => {
    const { usage, used } = onItsOwnDay(1_000);
    const meter = new TokenMeter(usage.budget({ uid: 'user-1' }));
    const instructions = 'z'.repeat(400);
    const history = { messages: [userSays('Hello')], approvals: [] };
    await meter.reserve(instructions, history.messages);
    const turn = new Turn({
      model: model(says('x'.repeat(4_000), ...Array(1_000).fill('y'))),
      instructions,
      history,
      tools: { tools: {}, toolApproval: {}, isOver: () => false },
      signatures: new Signatures('secret', 'chat-1'),
      uid: undefined,
      meter,
    });
    const left = new AbortController();
    for await (const part of await turn.start(left.signal)) {
      turn.toChunk(part);
      if (part.type === 'text-delta') break;
    }
    left.abort();
    await meter.settle();
    expect(await used()).toBeGreaterThan(1_100);
    expect(await used()).toBeLessThan(1_900);
  });
});
