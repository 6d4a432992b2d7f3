import type { ReactNode } from 'react';
import { Link } from '../address.tsx';
import { useAgentChoices } from '../components/agent-filter.tsx';
import { Status } from '../components/values.tsx';
import { useRead, useService } from '../service.tsx';

/** The way to the first call, with the steps that are done. */
export const FirstSteps = () => {
  const { scopes } = useService();
  const agents = useAgentChoices().data ?? [];
  const [agentId = ''] = agents.map(({ agentId }) => agentId);
  const enabled = agentId !== '' && scopes.includes('knowledge');
  const search = { agentId, content: false, limit: 1 } as const;
  const websites = useRead(['knowledge', agentId, 'first'], (api, options) => api.websites.list(search, options), {
    enabled,
  });
  const documents = useRead(['knowledge', agentId, 'any'], (api, options) => api.documents.list(search, options), {
    enabled,
  });
  const sources = (websites.data?.websites.length ?? 0) + (documents.data?.documents.length ?? 0);
  return (
    <section className="empty">
      <h2>No calls yet: the way to the first one</h2>
      <ol className="stack">
        <Step isDone={agents.length > 0} text="It answers with its greeting and its instructions.">
          <Link view="agents" filters={{ form: 'new' }}>
            Create an agent
          </Link>
        </Step>
        <Step isDone={sources > 0} text="The agent answers from websites and documents.">
          <Link view="knowledge">Give it knowledge</Link>
        </Step>
        <Step isDone={false} text="It asks at each call what to do, and reports each call that ended.">
          {agentId ? (
            <Link view="agents" filters={{ agentId, section: 'connect' }}>
              Connect a platform
            </Link>
          ) : (
            <a href="/docs/voice-platforms">Connect a platform</a>
          )}
        </Step>
        <Step isDone={false} text="It appears here and in Calls within seconds.">
          <Link view="calls">Make the first call</Link>
        </Step>
      </ol>
    </section>
  );
};

const Step = ({ isDone, text, children }: { isDone: boolean; text: string; children: ReactNode }) => (
  <li>
    <Status tone={isDone ? 'good' : 'off'} label={isDone ? 'Done' : 'To do'} /> {children}
    <p>{text}</p>
  </li>
);
