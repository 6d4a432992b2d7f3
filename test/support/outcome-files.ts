import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { writeTestFile } from './outcomes-tool.ts';
import { newWorld, type World } from './world.ts';

export const header = 'agentId,callIdOrPhone,custom_call_outcome,custom_call_outcome_value';
export const readResults = (file: string): Record<string, string>[] =>
  parse(readFileSync(`${file}.results.csv`, 'utf8'), { columns: true });
/** Returns a call from the service. */
export const getOutcome = async (world: World, callId: string) =>
  (await world.call('GET', `/calls/${world.agentId}/${callId}`)).body;

/** A world with calls `c0`, `c1` …, and a file that sets each one's outcome. */
export const worldWithCalls = async (count: number) => {
  const world = await newWorld();
  await Promise.all(Array.from({ length: count }, (_, index) => world.recordCall(`c${index}`)));
  const rows = Array.from({ length: count }, (_, index) => `${world.agentId},c${index},won,${index}.5`);
  return { ...world, file: writeTestFile('calls.csv', [header, ...rows, ''].join('\n')) };
};

/** Many rows for few calls: `rows` of them, row n saying `row n` of call n modulo `calls`. */
export const manyRows = (world: World, rows: number, calls: number) =>
  writeTestFile(
    'many.csv',
    [header, ...Array.from({ length: rows }, (_, row) => `${world.agentId},c${row % calls},row ${row},`), ''].join(
      '\n',
    ),
  );
