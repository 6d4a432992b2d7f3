import { expect, it } from 'vitest';
import { now } from '../../../functions/domain/date-time.ts';
import { type Turn, toStoredTranscript } from '../../../functions/domain/transcripts.ts';
import { Calls } from '../../../functions/store/calls/calls.ts';
import { Transcripts } from '../../../functions/store/calls/transcripts.ts';
import { table } from '../../../functions/store/table.ts';
import { unique, useTargetInThisProcess } from '../../support/world.ts';

const settings = { keepDays: 30 };
const said: Turn[] = [{ role: 'caller', text: 'When do you open?' }];
const saidLater: Turn[] = [...said, { role: 'agent', text: 'At nine.' }];

it('a transcript that was deleted is never brought back by a report, and is replaced by one that a request sends', async () => {
  useTargetInThisProcess();
  const calls = new Calls(table.get());
  const transcripts = new Transcripts(table.get());
  const [agentId, callId] = [unique('agent'), 'call'];
  const facts = { direction: 'inbound' as const, startedAt: now() };
  const report = (turns: Turn[]) =>
    calls.recordReported(agentId, callId, () => facts, { transcript: toStoredTranscript(turns, 'vapi', settings) });
  const readTurns = async () => (await transcripts.find({ agentId, reference: { callId } }, settings))?.turns;
  await report(said);
  expect(await readTurns()).toEqual(said);
  expect(await calls.removeTranscript(agentId, callId, { isLogged: true })).toBe(true);
  for (const turns of [said, saidLater]) await report(turns);
  expect(await readTurns()).toBeUndefined();
  await calls.record(agentId, callId, facts, { transcript: toStoredTranscript(said, 'api', settings) });
  await report(saidLater);
  expect(await readTurns()).toEqual(said);
});
