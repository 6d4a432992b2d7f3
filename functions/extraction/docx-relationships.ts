import { posix } from 'node:path';

/** Reads a file of the archive as text, as far as the budget goes; an empty text if there is none. */
export type ReadShared = (name: string) => string;

export const noRelationships = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>';

/** Returns the name of the main part, from the package's relationships. */
export const findMainPart = (files: Map<string, Buffer>, readShared: ReadShared): string => {
  const main = parseRelationships(readShared('_rels/.rels')).find(({ Type = '' }) => Type.endsWith('/officeDocument'));
  const target = main?.Target?.replace(/^\//, '');
  return target && files.has(target) ? target : 'word/document.xml';
};

/** Returns the names of the parts that a part refers to, by relationship. */
export const resolveRelationships = (readShared: ReadShared, name: string) =>
  new Map(
    parseRelationships(readShared(relationshipsFile(name))).map(({ Id = '', Target = '' }) => [
      Id,
      posix.join(Target.startsWith('/') ? '' : posix.dirname(name), Target).replace(/^\//, ''),
    ]),
  );

/** Returns the name of the file with the relationships of a part. */
export const relationshipsFile = (name: string) =>
  posix.join(posix.dirname(name), '_rels', `${posix.basename(name)}.rels`);

const parseRelationships = (xml: string): Record<string, string>[] =>
  [...xml.matchAll(/<(?:\w+:)?Relationship\b[^<>]*>/g)].map(([element]) =>
    Object.fromEntries(
      [...element.matchAll(/\b(\w+)\s*=\s*["']([^"']*)["']/g)].map(([, name, value]) => [name, value]),
    ),
  );
