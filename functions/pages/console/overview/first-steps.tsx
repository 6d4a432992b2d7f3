import { Link } from '../address.tsx';
import { useAgentChoices } from '../components/agent-filter.tsx';
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
  const steps = [
    {
      isDone: agents.length > 0,
      what: 'Create an agent',
      where: { view: 'agents', filters: { form: 'new' } },
      text: 'It answers with its greeting and its instructions.',
    },
    {
      isDone: sources > 0,
      what: 'Give it knowledge',
      where: { view: 'knowledge' },
      text: 'The agent answers from websites and documents.',
    },
    {
      isDone: false,
      what: 'Connect a platform',
      where: { view: 'agents', filters: { agentId, section: 'connect' } },
      text: 'It asks at each call what to do, and reports each call that ended.',
    },
    {
      isDone: false,
      what: 'Make the first call',
      where: { view: 'calls' },
      text: 'It appears here and in Calls within seconds.',
    },
  ];
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <section className="empty">
      <h2>No calls yet: the way to the first one</h2>
      <ol className="steps">
        {steps.map((step) => (
          <li key={step.what} className={step.isDone ? 'done' : undefined}>
            {step.isDone && <span className="visually-hidden">Done </span>}
            <Link {...step.where} className={step === next ? 'button' : undefined}>
              {step.what}
            </Link>
            <p>{step.text}</p>
          </li>
        ))}
      </ol>
    </section>
  );
};
