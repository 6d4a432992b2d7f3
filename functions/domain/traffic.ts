import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { describe, listField } from './describe.ts';
import { limits } from './limits.ts';
import { list } from './list.ts';
import { chooseForm } from './number-forms.ts';
import { VersionNumber } from './version-number.ts';

const Share = z.object({
  version: VersionNumber.check(describe('The version.', 6)),
  percent: z
    .int()
    .check(z.minimum(1), z.maximum(100), describe('The share of the callers who get it, in whole percents.', 90)),
});
export type Share = z.infer<typeof Share>;

const splitDescription =
  'The versions that callers get, and their shares, which add up to 100. An empty list: everybody gets the newest version.';
const exampleSplit = [
  { version: 6, percent: 90 },
  { version: 7, percent: 10 },
];

/** A split in a response. */
export const Split = listField(Share, splitDescription, exampleSplit);

/** A split in a request. */
export const NewSplit = list(Share, { max: limits.splitVersions, items: 'versions' }).check(
  z.refine((split) => new Set(split.map(({ version }) => version)).size === split.length, {
    error: 'has a version twice',
    abort: true,
  }),
  z.refine((split) => split.length === 0 || split.reduce((sum, { percent }) => sum + percent, 0) === 100, {
    error: 'must add up to 100 percent',
  }),
  describe(splitDescription, exampleSplit),
);

/** Returns a caller's version by weighted rendezvous hashing: a raised share moves callers only to itself. */
export const chooseVersion = (agentId: string, caller: string, split: readonly Share[]): number | undefined => {
  let chosen: { version: number; score: number } | undefined;
  for (const { version, percent } of split) {
    const score = -percent / Math.log(hashToFraction(`${agentId}\n${chooseForm(caller)}\n${version}`));
    if (!chosen || score > chosen.score) chosen = { version, score };
  }
  return chosen?.version;
};

/** Returns a number between 0 and 1, exclusive. */
const hashToFraction = (text: string): number =>
  (createHash('sha256').update(text).digest().readUIntBE(0, 6) + 0.5) / 2 ** 48;
