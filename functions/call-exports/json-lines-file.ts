import * as z from 'zod/mini';
import { Call } from '../domain/calls.ts';
import { createTextFile } from './export-file.ts';

/** Returns an empty file of JSON Lines, with a call a line, as lists of calls have it. */
export const createJsonLinesFile = () => createTextFile('', (call) => `${JSON.stringify(z.parse(Call, call))}\n`);
