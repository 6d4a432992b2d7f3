import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize, relative } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

const listFiles = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return listFiles(path);
    return /\.(ts|tsx)$/.test(entry.name) ? [path] : [];
  });

const sources = ['bin', 'lib', 'functions'].flatMap(listFiles).map((path) => {
  const text = readFileSync(join(root, path), 'utf8');
  const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] as string);
  const ours = imports
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => relative(root, normalize(join(root, path, '..', specifier))));
  return { path, text, ours, packages: imports.filter((specifier) => !specifier.startsWith('.')) };
});

/** The room a file is in: its folder, or a file of `functions/` that stands by itself. */
const findRoom = (path: string) =>
  path.startsWith('functions/') ? path.split('/').slice(0, 2).join('/') : (path.split('/')[0] as string);

const base = [
  'functions/domain',
  'functions/environment.ts',
  'functions/service.ts',
  'functions/log.ts',
  'functions/cause.ts',
  'functions/spans.ts',
];
const below = [...base, 'functions/store', 'functions/clients', 'functions/extraction'];
const capabilities = [
  'functions/block-list-import',
  'functions/budgets',
  'functions/call-exports',
  'functions/lake',
  'functions/calling',
  'functions/consents',
  'functions/changes',
  'functions/hooks',
  'functions/erasure',
  'functions/crawling',
  'functions/duplication',
  'functions/figures',
  'functions/person-exports',
  'functions/reconciliation',
  'functions/search',
  'functions/sheets',
  'functions/stream',
  'functions/mcp',
  'functions/oauth',
  'functions/parking',
  'functions/users',
  'functions/webhooks',
];

/**
 * The folders that each folder may import. A capability owns the records that only it uses; `store/` keeps those that
 * several rooms share, a folder per subject.
 */
const arrows: Record<string, string[]> = {
  'functions/domain': [],
  'functions/environment.ts': [],
  'functions/service.ts': ['functions/domain'],
  'functions/log.ts': ['functions/cause.ts', 'functions/domain'],
  'functions/cause.ts': ['functions/domain'],
  'functions/spans.ts': ['functions/domain'],
  'functions/store': base,
  'functions/clients': base,
  'functions/extraction': base,
  'functions/http': below,
  'functions/block-list-import': [...below, 'functions/sheets'],
  'functions/budgets': [...below, 'functions/figures'],
  'functions/call-exports': below,
  'functions/lake': [...below, 'functions/call-exports', 'functions/figures'],
  'functions/calling': below,
  'functions/changes': below,
  'functions/consents': below,
  'functions/crawling': below,
  'functions/hooks': [...below, 'functions/calling', 'functions/http', 'functions/search'],
  'functions/erasure': [
    ...[...below, 'functions/block-list-import', 'functions/calling', 'functions/consents', 'functions/parking'],
    'functions/webhooks',
  ],
  'functions/person-exports': [...below, 'functions/erasure'],
  'functions/duplication': below,
  'functions/figures': below,
  'functions/parking': below,
  'functions/reconciliation': [...below, 'functions/erasure', 'functions/hooks'],
  'functions/search': below,
  // A change of any capability's records is decoded here.
  'functions/stream': [
    ...[...below, 'functions/block-list-import', 'functions/changes', 'functions/figures', 'functions/hooks'],
    ...['functions/parking', 'functions/reconciliation', 'functions/webhooks'],
  ],
  'functions/sheets': base,
  'functions/users': [...below, 'functions/block-list-import', 'functions/consents', 'functions/http'],
  'functions/webhooks': [...below, 'functions/changes'],
  'functions/oauth': [...below, 'functions/http'],
  'functions/operations': ['functions/domain', 'functions/clients', 'functions/openapi'],
  'functions/mcp': [...base, 'functions/clients', 'functions/http', 'functions/openapi', 'functions/operations'],
  'functions/chat': [...below, 'functions/http', 'functions/openapi', 'functions/operations'],
  'functions/api': [...below, ...capabilities, 'functions/chat', 'functions/http', 'functions/openapi'],
  'functions/jobs': [...below, ...capabilities, 'functions/http'],
  'functions/openapi': ['functions/domain', 'functions/http'],
  // The function that serves them names the bucket, to which they upload. They show sheets before they upload them.
  'functions/pages': [
    ...['functions/domain', 'functions/sheets', 'functions/openapi', 'functions/clients', 'functions/environment.ts'],
  ],
  'functions/routes.ts': ['functions/api', 'functions/http'],
  'functions/jobs.ts': ['functions/jobs'],
};

const offenders = (isWrong: (source: (typeof sources)[number]) => unknown) =>
  sources.filter(isWrong).map(({ path }) => path);

it('folders import only along the arrows; move the code to the room that may, or the import away', () => {
  const wrong = sources.flatMap(({ path, ours }) => {
    const allowed = arrows[findRoom(path)];
    if (!allowed) return [];
    return ours
      .filter((other) => findRoom(other) !== findRoom(path) && !allowed.includes(findRoom(other)))
      .map((other) => `${path} imports ${other}`);
  });
  expect(wrong).toEqual([]);
});

it('all folders are known: a new room under functions/ gets its arrows here', () => {
  const rooms = new Set(sources.map(({ path }) => findRoom(path)).filter((room) => room.startsWith('functions/')));
  expect([...rooms].filter((room) => !(room in arrows))).toEqual([]);
});

it('a command of the operator imports no other command: shared code is in the folders beside commands', () => {
  const folder = 'bin/operator/commands/';
  expect(
    offenders(({ path, ours }) => path.startsWith(folder) && ours.some((other) => other.startsWith(folder))),
  ).toEqual([]);
});

it('code that runs on Lambda does not import AWS CDK', () => {
  expect(
    offenders(
      ({ path, packages }) =>
        path.startsWith('functions/') && packages.some((name) => /^(aws-cdk-lib|constructs)/.test(name)),
    ),
  ).toEqual([]);
});

it('only functions/environment.ts reads the environment', () => {
  expect(
    offenders(
      ({ path, text }) =>
        path.startsWith('functions/') && path !== 'functions/environment.ts' && text.includes('process.env'),
    ),
  ).toEqual([]);
});

it('only functions/store/keys.ts writes key strings', () => {
  const key = /[`'"](USER|AGENT|CHAT|KEY|CALL|WEBSITE|DOCUMENT|SOURCE|DUPLICATION|IDEMPOTENCY)#/;
  expect(offenders(({ path, text }) => path !== 'functions/store/keys.ts' && key.test(text))).toEqual([]);
});

it('code under functions/ imports zod/mini: the classic one is five times its size', () => {
  expect(offenders(({ path, packages }) => path.startsWith('functions/') && packages.includes('zod'))).toEqual([]);
});

it('folders are named after their content', () => {
  expect(offenders(({ path }) => /(^|\/)(utils?|common|shared|helpers?)(\/|\.)/.test(path))).toEqual([]);
});
