import * as z from 'zod/mini';
import { textField } from './describe.ts';
import { limits } from './limits.ts';

/** The number of a version in a body. */
export const VersionNumber = z.int().check(z.minimum(1), z.maximum(limits.versionNumber));

/** Returns the number of a version that a text names; undefined for a text that names none. */
export const parseVersion = (text: string): number | undefined =>
  /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;

export const VersionInPath = textField('Number of the version.', '7');
export const VersionInQuery = z.pipe(
  z
    .string()
    .check(
      z.refine((text) => parseVersion(text) !== undefined, { error: 'must be the number of a version', abort: true }),
    ),
  z.transform(Number),
);
