import { isJsonObject } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { cut } from '../domain/text.ts';
import type { Turn } from '../domain/transcripts.ts';
import { readNumber, readObject, readText } from './platforms/platform.ts';

/**
 * Returns the turns of the first form that has any: a list of entries as Vapi, Retell or ElevenLabs sends it, or one text with a
 * line for each turn. Undefined without a transcript.
 */
export const readTurns = (...forms: unknown[]): Turn[] | undefined =>
  forms.map(readForm).find((turns) => turns.length > 0);

const readForm = (form: unknown): Turn[] => {
  if (typeof form === 'string') return readLines(form);
  return Array.isArray(form) ? readEntries(form.filter(isJsonObject)) : [];
};

type Entry = Record<string, unknown>;

const speakers: Record<string, Turn['role']> = {
  agent: 'agent',
  ai: 'agent',
  assistant: 'agent',
  bot: 'agent',
  user: 'caller',
  system: 'system',
};

const readLines = (text: string): Turn[] => {
  const turns: Turn[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, name, said = ''] = /^\s*(agent|ai|assistant|bot|user|system):\s*(.*)$/i.exec(line) ?? [];
    const last = turns.at(-1);
    if (name) turns.push({ role: speakers[name.toLowerCase()] as Turn['role'], text: said });
    else if (last) last.text = `${last.text}\n${line}`;
    else turns.push({ role: 'system', text: line });
  }
  return turns.flatMap((turn) => toTurn(turn.role, turn.text, undefined));
};

const readEntries = (entries: Entry[]): Turn[] => {
  const results = entries.flatMap(listResults);
  const finished = new Set(results.map(({ id }) => id));
  const names = new Map(entries.flatMap(listInvocations).map(({ id, name }) => [id, name]));
  return entries.flatMap((entry) => {
    const at = readTime(entry);
    // A tool without a result, such as the one that ends a call, is its name alone.
    const invoked = listInvocations(entry).filter(({ id }) => !finished.has(id));
    return [
      ...readSpoken(entry, at),
      ...invoked.flatMap(({ name }) => toTurn('tool', name, at)),
      ...listResults(entry).flatMap(({ id, name = names.get(id), result }) =>
        toTurn('tool', [name, result].filter(Boolean).join(': '), at),
      ),
    ];
  });
};

/** The roles of entries without words. Digits of a keypad may be those of a card. */
const silentRoles = new Set(['tool', 'tool_calls', 'tool_call_invocation', 'tool_call_result', 'dtmf']);

/** Returns what somebody said. Words of anybody else, such as a person to whom the call was transferred, follow their role. */
const readSpoken = (entry: Entry, at: number | undefined): Turn[] => {
  const role = readText(entry, 'role') ?? 'system';
  const words = readText(entry, 'message') ?? readText(entry, 'content') ?? '';
  if (words === '' || silentRoles.has(role)) return [];
  const speaker = Object.hasOwn(speakers, role) ? speakers[role] : undefined;
  return speaker ? toTurn(speaker, words, at) : toTurn('system', `${role}: ${words}`, at);
};

/** Returns the tools that an entry calls. */
const listInvocations = (entry: Entry): { id: unknown; name: string }[] => {
  const isInvocation = entry.role === 'tool_call_invocation';
  const called = [entry.toolCalls, entry.tool_calls, isInvocation ? entry : undefined].flat().filter(isJsonObject);
  return called.map((call) => ({ id: readId(call), name: readName(call) ?? '' }));
};

/** Returns what tools returned in an entry. */
const listResults = (entry: Entry): { id: unknown; name: string | undefined; result: string }[] => {
  const isResult = entry.role === 'tool_call_result' || entry.role === 'tool';
  const returned = [isResult ? entry : undefined, entry.tool_results].flat().filter(isJsonObject);
  return returned.map((one) => ({
    id: readId(one),
    name: readName(one),
    result: writeResult(one.result ?? one.result_value ?? one.content),
  }));
};

const readId = (one: Entry): unknown => one.toolCallId ?? one.tool_call_id ?? one.request_id ?? one.id ?? one;
const readName = (one: Entry) =>
  readText(one, 'name') ?? readText(one, 'tool_name') ?? readText(readObject(one, 'function'), 'name');
const writeResult = (result: unknown): string =>
  typeof result === 'string' ? result : result === undefined ? '' : JSON.stringify(result);

/** Returns the second of the call in which an entry begins. Retell has that of each word. */
const readTime = (entry: Entry): number | undefined => {
  const [first] = [entry.words].flat().filter(isJsonObject);
  const at =
    readNumber(entry, 'secondsFromStart') ?? readNumber(entry, 'time_in_call_secs') ?? readNumber(first ?? {}, 'start');
  return at !== undefined && at >= 0 && at <= limits.callSeconds ? at : undefined;
};

const toTurn = (role: Turn['role'], words: string, at: number | undefined): Turn[] => {
  const max = role === 'tool' ? limits.toolTurnCharacters : undefined;
  const text = (max ? cut(words.slice(0, 2 * max), max) : words).toWellFormed().trim();
  return text === '' ? [] : [{ role, text, at }];
};
