import { createHash } from 'node:crypto';

/**
 * The version that a file is based on, as the file states it: the URL of the version at its deployment. A checksum of the
 * websites and documents, which have no versions, follows after `#`.
 */
export type VersionReference = { service: string; agentId: string; version: number; knowledge?: string };

const form =
  /^(https?:\/\/[^\s#]{1,2000})\/agents\/([A-Za-z0-9_.:-]{1,128})\/versions\/([1-9]\d{0,8})(?:#([0-9a-f]{12}))?$/;

export const isReference = (text: string) => form.test(text);

export const parseReference = (text: string): VersionReference => {
  const [, service = '', agentId = '', version, knowledge] = form.exec(text) ?? [];
  return { service, agentId, version: Number(version), ...(knowledge && { knowledge }) };
};

export const formatReference = ({ service, agentId, version, knowledge }: VersionReference) =>
  `${service}/agents/${agentId}/versions/${version}${knowledge ? `#${knowledge}` : ''}`;

/** Returns a checksum of websites and documents. */
export const hashSources = (sources: Map<string, unknown>) =>
  createHash('sha256')
    .update(JSON.stringify([...sources].sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest('hex')
    .slice(0, 12);
