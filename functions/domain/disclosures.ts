import * as z from 'zod/mini';
import { choiceField, describe } from './describe.ts';
import { chooseSentence } from './disclosure-sentence.ts';
import { isJsonObject } from './json.ts';
import { canonicalLanguage } from './languages.ts';
import { limits } from './limits.ts';
import { characters, text } from './text.ts';
import type { Turn } from './transcripts.ts';

/** The sentence that says that a machine speaks: one for all languages, or one for each BCP 47 tag. */
export type Disclosure = string | Record<string, string>;

const Sentence = text(1, limits.disclosureCharacters);
const sentenceError = `must have 1 to ${limits.disclosureCharacters} characters`;
const isSentence = (value: unknown) => typeof value === 'string' && z.safeParse(Sentence, value).success;

/** Returns why a value is no disclosure; undefined if it is one. */
const findProblem = (value: unknown): string | undefined => {
  if (typeof value === 'string') return isSentence(value) ? undefined : sentenceError;
  if (!isJsonObject(value)) return 'must be a text, or an object from language tags to texts';
  const entries = Object.entries(value);
  if (entries.length === 0 || entries.length > limits.disclosureLanguages)
    return `must have 1 to ${limits.disclosureLanguages} languages`;
  for (const [tag, sentence] of entries) {
    if (canonicalLanguage(tag) === undefined) return 'must have BCP 47 language tags such as en-US as names';
    if (!isSentence(sentence)) return `must have texts of 1 to ${limits.disclosureCharacters} characters`;
  }
  return undefined;
};

/** The disclosure of an agent as it is written: `configuration.disclosure`. */
export const Disclosure = z.custom<Disclosure>().check(
  z.check(({ value, issues }) => {
    const message = findProblem(value);
    if (message !== undefined) issues.push({ code: 'custom', input: value, message });
  }),
  z.meta({ documentAs: z.union([Sentence, z.record(z.string(), Sentence)]) }),
  describe(
    'The sentence that says that a machine speaks: one text, or an object with one for each BCP 47 tag. The greeting that a voice platform gets begins with it, and variables have it as `disclosure`: that of the agent’s `language`, else of the language without its region, else the first one.',
    { 'en-US': 'You are speaking with an AI assistant.', de: 'Sie sprechen mit einem KI-Assistenten.' },
  ),
);

/** Returns the disclosure of a configuration. One that was stored before it had a meaning is none unless it is valid. */
export const readDisclosure = ({ disclosure }: { disclosure?: unknown }): Disclosure | undefined =>
  disclosure === undefined || findProblem(disclosure) !== undefined ? undefined : (disclosure as Disclosure);

/** Returns the sentence of a configuration in its language. */
export const chooseDisclosure = (configuration: { disclosure?: unknown; language?: unknown }): string | undefined => {
  const disclosure = readDisclosure(configuration);
  return disclosure === undefined ? undefined : chooseSentence(disclosure, configuration.language);
};

/** Whether a call began with the disclosure of its agent. */
export const Disclosed = choiceField(
  ['yes', 'no', 'unknown'],
  'Whether the agent said that a machine speaks: its `disclosure`, in one of its first two turns of the transcript that the voice platform sent. `unknown`: there was no transcript. Absent: the agent had no disclosure.',
  'yes',
);
export type Disclosed = z.infer<typeof Disclosed>;

/** The turns of an agent in which it must disclose. */
const disclosingTurns = 2;

/** Checks whether the agent said one of the sentences in its first two turns. Letters and digits are compared. */
export const isDisclosed = (turns: readonly Turn[], disclosure: Disclosure): boolean => {
  const said: string[] = [];
  let isAgents = false;
  for (const { role, text } of turns) {
    if (role === 'tool' || role === 'system') continue;
    if (role === 'agent' && !isAgents && said.length === disclosingTurns) break;
    // Platforms cut what an agent says into several entries.
    if (role === 'agent') said.push(isAgents ? `${said.pop()} ${text}` : text);
    isAgents = role === 'agent';
  }
  const sentences = typeof disclosure === 'string' ? [disclosure] : Object.values(disclosure);
  const wanted = sentences.map(toComparable).filter((sentence) => characters(sentence) > 0);
  return said.map(toComparable).some((turn) => wanted.some((sentence) => turn.includes(sentence)));
};

const toComparable = (text: string): string =>
  text
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
