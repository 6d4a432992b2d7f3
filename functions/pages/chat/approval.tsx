import { type ReactNode, useId } from 'react';
import { type Agent, useAgent } from './agent.ts';

type Props = {
  question: string;
  toolName: string;
  input: unknown;
  canAnswer: boolean;
  answer(approved: boolean): void;
};
type Fields = Record<string, unknown>;

/** Asks whether a call may run. It shows the complete input, so that the user approves nothing hidden. */
export const Approval = ({ question, toolName, input, canAnswer, answer }: Props) => {
  const heading = useId();
  const { agentId, ...fields } = input as Fields & { agentId?: string };
  const agent = useAgent(agentId);
  return (
    <section className="question" aria-labelledby={heading}>
      <h3 id={heading}>{question}</h3>
      <dl>
        {agentId !== undefined && (
          <Row name="agentId">{agent ? <NamedAgent agent={agent} id={agentId} /> : agentId}</Row>
        )}
        {toolName === 'updateAgent' ? (
          <Changes fields={fields} agent={agent} />
        ) : (
          Object.entries(fields).map(([name, value]) => (
            <Row key={name} name={name}>
              <Value value={value} />
            </Row>
          ))
        )}
      </dl>
      <div className="buttons">
        <button type="button" disabled={!canAnswer} onClick={() => answer(true)}>
          Approve
        </button>
        <button type="button" className="quiet" disabled={!canAnswer} onClick={() => answer(false)}>
          Deny
        </button>
      </div>
    </section>
  );
};

const Row = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{labelField(name)}</dt>
    <dd dir="auto">{children}</dd>
  </div>
);

const NamedAgent = ({ agent, id }: { agent: Agent; id: string }) => (
  <>
    {agent.name} <small>{id}</small>
  </>
);

/** The changes of an agent: each field with its present value, if known, and the new one. */
const Changes = ({ fields: { configuration, ...fields }, agent }: { fields: Fields; agent: Agent | undefined }) => {
  const changes = { ...fields, ...(configuration as Fields | undefined) };
  const present: Fields = { ...agent, ...agent?.configuration };
  return Object.entries(changes).map(([name, value]) => (
    <Row key={name} name={name}>
      {agent && !ofRequest.includes(name) && (
        <>
          <span className="visually-hidden">from </span>
          <del>
            <Value value={present[name]} />
          </del>
          <span aria-hidden="true"> → </span>
          <span className="visually-hidden">to </span>
        </>
      )}
      <ins>
        <Value value={value} />
      </ins>
    </Row>
  ));
};

/** Fields of a change that do not belong to the agent. */
const ofRequest = ['note', 'ifMatch'];

const Value = ({ value }: { value: unknown }): ReactNode => {
  if (value === undefined || value === null || value === '') return 'nothing';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ');
  return (
    <dl>
      {Object.entries(value).map(([name, field]) => (
        <Row key={name} name={name}>
          <Value value={field} />
        </Row>
      ))}
    </dl>
  );
};

const labels: Record<string, string> = {
  agentId: 'Agent',
  url: 'URL',
  expiresAt: 'Blocked until',
  ifMatch: 'Changes version',
};

/** Returns a field name in words: `phoneNumber` is “Phone number”. */
const labelField = (name: string) => {
  const words = name.replace(/([a-z])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`);
  return labels[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
};
