import type { Agent } from '../../../openapi/client/client.ts';
import type { Service } from '../service.tsx';

type Section = { path?: string; label: string; isShown?(agent: Agent, service: Service): boolean };

const sections: Section[] = [
  { label: 'Configuration' },
  { path: 'connect', label: 'Connect' },
  { path: 'history', label: 'History' },
  { path: 'traffic', label: 'Traffic' },
  { path: 'figures', label: 'Figures by version', isShown: (_, { scopes }) => scopes.includes('calls') },
  { path: 'platform', label: 'Platform' },
  { path: 'access', label: 'Access', isShown: (agent, { uid }) => agent.uid === uid },
];

/** Returns the sections of the page of an agent that the key may use. */
export const listSections = (agent: Agent, service: Service): Section[] =>
  sections.filter(({ isShown }) => isShown?.(agent, service) ?? true);
