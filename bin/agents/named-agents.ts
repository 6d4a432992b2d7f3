import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agent } from '../../functions/openapi/client/client.ts';
import { writeOutput } from '../command-line/output-file.ts';
import type { AgentFile } from './folder.ts';
import type { Service } from './service.ts';

/** Lists the agents that files of the folder have named, one address a line. It belongs into the folder’s repository. */
const namedAgentsFile = '.named-agents';

export const agentAddress = ({ address }: Pick<Service, 'address'>, { agentId }: Pick<Agent, 'agentId'>) =>
  `${address}/agents/${agentId}`;

/** Returns the addresses of the agents that files of a folder name, or have named before. */
export const readNamedAgents = async (folder: string, files: AgentFile[]): Promise<Set<string>> => {
  const named = files.flatMap(({ references }) =>
    references.map(({ service, agentId }) => agentAddress({ address: service }, { agentId })),
  );
  return new Set([...(await readLines(folder)), ...named]);
};

/** Adds agents to the list of a folder. A list that has them is not written. */
export const noteNamedAgents = async (folder: string, addresses: string[]): Promise<void> => {
  const listed = await readLines(folder);
  const all = [...new Set([...listed, ...addresses])].sort();
  if (all.length > listed.length) await writeOutput(join(folder, namedAgentsFile), [`${all.join('\n')}\n`]);
};

const readLines = async (folder: string): Promise<string[]> => {
  const text = await readFile(join(folder, namedAgentsFile), 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    return '';
  });
  return text.split(/\r?\n/).filter((line) => line !== '');
};
