import { agentFields } from './agent-fields.ts';

const labels = new Map(agentFields.map(({ name, label }) => [name, label]));

/** Returns a changed field in words: `configuration.greeting`, or the JSON Pointer `/configuration/greeting`, is “Greeting”. */
export const labelOfPath = (path: string): string => {
  const parts = path.startsWith('/') ? path.slice(1).split('/').map(unescaped) : [path];
  const [first = '', ...rest] = parts
    .join('\n')
    .replace(/^configuration[.\n]/, '')
    .split('\n');
  return [labels.get(first) ?? first, ...rest].join(' › ');
};

/** Undoes the escapes of a JSON Pointer. */
const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');
