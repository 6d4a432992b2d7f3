import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Agent, dataOf } from '../../../openapi/client/client.ts';
import { forget, load, save } from '../../tab-storage.ts';
import { FormDialog } from '../components/dialog.tsx';
import { useChange, useService } from '../service.tsx';
import { type AgentDraft, buildAgentChange, differing, type Texts, toTexts } from './agent-fields.ts';
import { AgentForm, isConflict } from './agent-form.tsx';
import { Difference } from './difference.tsx';
import { useKeepWarnings, Warnings } from './warnings.tsx';

/** A concurrent edit by another user: the agent before and after it. */
type Meanwhile = { version: number; before: Texts; now: Texts };

const startDraft = (agent: Agent): AgentDraft => {
  const texts = toTexts(agent);
  return { version: agent.version, updatedAt: agent.updatedAt, before: texts, texts, note: '' };
};

/** Returns the draft for another state of the agent. What was typed since `known` stays. */
const rebase = (draft: AgentDraft, known: Pick<AgentDraft, 'texts' | 'note'>, agent: Agent): AgentDraft => {
  const start = startDraft(agent);
  const typed = differing(known.texts, draft.texts).map(({ name }) => [name, draft.texts[name] ?? '']);
  return {
    ...start,
    texts: { ...start.texts, ...Object.fromEntries(typed) },
    note: draft.note === known.note ? '' : draft.note,
  };
};

/**
 * Edits an agent. If another user has changed it in the meantime, nothing is overwritten: the fields that only they changed are
 * taken over, and those that both changed are shown for a decision. The user's own edits stay in the form.
 */
export const EditAgent = ({ agent }: { agent: Agent }) => {
  const { api } = useService();
  const queries = useQueryClient();
  const keepWarnings = useKeepWarnings();
  const name = `draft:${agent.agentId}` as const;
  const [draft, setDraft] = useState<AgentDraft>(() => load(name) ?? startDraft(agent));
  const [meanwhile, setMeanwhile] = useState<Meanwhile>();
  const [isDiscarding, setDiscarding] = useState(false);
  const { version, updatedAt, before, texts, note } = draft;
  const changed = differing(before, texts).map(({ label }) => label);
  const isChanged = changed.length > 0;

  useEffect(() => (isChanged ? save(name, draft) : forget(name)), [name, isChanged, draft]);
  // Until the user types something, the form follows the agent.
  if (!isChanged && agent.updatedAt > updatedAt) setDraft(startDraft(agent));

  const { mutate, reset, ...saving } = useChange(
    (api, options) => {
      const change = { agentId: agent.agentId, ...buildAgentChange(before, texts), note: note || undefined };
      return api.agents.update(change, { ...options, ifMatch: version });
    },
    {
      changes: [['agents'], ['agent', agent.agentId]],
      done: (saved) => (saved.version === version ? 'The agent is saved.' : `Version ${saved.version} is saved.`),
    },
  );

  const takeOver = async () => {
    const now = dataOf(await api.agents.get({ agentId: agent.agentId }));
    const theirs = toTexts(now);
    setMeanwhile({ version: now.version, before, now: theirs });
    setDraft((draft) => rebase(draft, { texts: before, note: '' }, now));
    queries.setQueryData(['agent', agent.agentId], now);
  };
  const saveDraft = () =>
    mutate(undefined, {
      onSuccess(saved) {
        setMeanwhile(undefined);
        keepWarnings(saved);
        // A user goes on typing while the answer is on its way.
        setDraft((draft) => rebase(draft, { texts, note }, saved));
      },
      onError(error) {
        if (isConflict(error)) void takeOver();
      },
    });

  return (
    <>
      {meanwhile && (
        <Conflict
          meanwhile={meanwhile}
          texts={texts}
          onTake={(field) => setDraft({ ...draft, texts: { ...texts, [field]: meanwhile.now[field] ?? '' } })}
        />
      )}
      <Warnings agentId={agent.agentId} />
      <AgentForm
        texts={texts}
        note={note}
        changed={isChanged ? `${changed.join(', ')} changed, not saved` : undefined}
        isSaving={saving.isPending}
        error={saving.error}
        saveLabel="Save"
        onChange={(change) => setDraft((draft) => ({ ...draft, ...change }))}
        onSave={saveDraft}
        onDiscard={() => setDiscarding(true)}
      />
      {isDiscarding && (
        <FormDialog
          title="Discard your changes?"
          change={saving}
          submit="Discard the changes"
          pending=""
          isDanger
          onSubmit={() => {
            reset();
            setMeanwhile(undefined);
            setDraft(startDraft(agent));
            setDiscarding(false);
          }}
          onClose={() => setDiscarding(false)}
        >
          <p>Your text is lost: {changed.join(', ')}.</p>
        </FormDialog>
      )}
    </>
  );
};

type ConflictProps = { meanwhile: Meanwhile; texts: Texts; onTake(field: string): void };

const Conflict = ({ meanwhile: { version, before, now }, texts, onTake }: ConflictProps) => {
  const section = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a phone, the button that was pressed is far below
  useEffect(() => {
    section.current?.scrollIntoView();
  }, [version]);
  return (
    <section className="conflict" ref={section} role="alert" aria-label="Somebody else’s edit">
      <h2>Somebody else changed this agent while you were editing it</h2>
      <p>
        Version {version} is in place, and nothing of it is overwritten. Your text is still in the form. Decide about
        the fields below, and save again.
      </p>
      {differing(before, now).map(({ name, label }) => {
        const isOwn = texts[name] !== now[name];
        return (
          <section key={name}>
            <h3>{label}</h3>
            <Difference before={before[name] || undefined} after={now[name] || undefined} />
            {isOwn ? (
              <div className="buttons">
                <span>You have changed it, too: your text replaces theirs when you save.</span>
                <button type="button" className="quiet" onClick={() => onTake(name)}>
                  Use theirs instead
                </button>
              </div>
            ) : (
              <p className="faint">Their text is in the form.</p>
            )}
          </section>
        );
      })}
    </section>
  );
};
