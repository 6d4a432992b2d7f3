import { expect } from 'vitest';
import { textPieceCollection } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { until } from './until.ts';
import type { World } from './world.ts';

export type File = [name: string, bytes: Uint8Array | string, field?: string];

export const makeForm = ({ uid, agentId }: Pick<World, 'uid' | 'agentId'>, list: File[]) => {
  const form = new FormData();
  form.set('uid', uid);
  form.set('agentId', agentId);
  for (const [name, bytes, field = 'files'] of list) form.append(field, new Blob([bytes]), name);
  return form;
};

export const upload = (world: World, list: File[], headers: Record<string, string> = {}) =>
  world.call('POST', '/agent-documents', { body: makeForm(world, list), headers });

export const named = ({ uid, agentId }: World, documentId: string) => ({ uid, agentId, documentId });

export const list = async (world: World, query: Record<string, string | number> = {}) => {
  const answer = await world.call('GET', '/agent-documents', {
    query: { uid: world.uid, agentId: world.agentId, ...query },
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};

// biome-ignore lint/suspicious/noExplicitAny: a test reads any answer
export type Listed = any;

/** Polls the list until every document is ready or failed, or until it has the wanted state. */
export const settled = async (
  world: World,
  isSettled = (all: Listed[]) => all.every(({ status }) => status === 'ready' || status === 'failed'),
): Promise<Listed[]> => {
  await until(async () => isSettled((await list(world, { content: 'false' })).documents));
  return (await list(world)).documents;
};

/** The first bytes of a Windows program, with which no document begins. */
export const program = Buffer.from('MZ\x90\0\x03\0\0\0\xff\xff', 'latin1');

/** Counts the stored pieces of a document's text. */
export const countPieces = async (id: string): Promise<number> => {
  let pieces = 0;
  for await (const page of table.get().pages(textPieceCollection(id), { keysOnly: true })) pieces += page.length;
  return pieces;
};

/** Sends a file by a presigned form, as a browser does. */
export const sendForm = async (
  { url, fields }: { url: string; fields: Record<string, string> },
  content: string | Uint8Array,
) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([content as string]), 'file.bin');
  const { status } = await fetch(url, { method: 'POST', body: form });
  expect([200, 201, 204]).toContain(status);
};
