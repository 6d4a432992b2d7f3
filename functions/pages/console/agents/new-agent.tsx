import { useState } from 'react';
import type { Agent } from '../../../openapi/client/client.ts';
import { buildHref, Link, navigate } from '../address.tsx';
import { useChange } from '../service.tsx';
import { buildAgentChange, toTexts } from './agent-fields.ts';
import { AgentForm } from './agent-form.tsx';
import { useKeepWarnings } from './warnings.tsx';

const nothing = toTexts({ name: '', configuration: {} });

/** A form that creates an agent. */
export const NewAgent = () => {
  const [{ texts, note }, setDraft] = useState({ texts: nothing, note: '' });
  const keepWarnings = useKeepWarnings();
  const { mutate, isPending, error } = useChange(
    (api, options) => {
      const { name, phoneNumber, configuration } = buildAgentChange(nothing, texts);
      const agent = { name: name ?? '', phoneNumber: phoneNumber ?? undefined, note: note || undefined };
      return api.agents.create({ ...agent, configuration: configuration as Agent['configuration'] }, options);
    },
    { changes: [['agents']], done: ({ name }) => `${name} is created.` },
  );
  return (
    <>
      <p>
        <Link view="agents">All agents</Link>
      </p>
      <h1>New agent</h1>
      <AgentForm
        texts={texts}
        note={note}
        changed="Not created yet"
        isSaving={isPending}
        error={error}
        saveLabel="Create agent"
        onChange={(change) => setDraft((draft) => ({ ...draft, ...change }))}
        onSave={() =>
          mutate(undefined, {
            onSuccess(agent) {
              keepWarnings(agent);
              navigate(buildHref('agents', { agentId: agent.agentId }), { replace: true });
            },
          })
        }
        onDiscard={() => navigate(buildHref('agents'))}
      />
    </>
  );
};
