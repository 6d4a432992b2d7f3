import { type DynamicToolUIPart, getToolName, type ToolUIPart } from 'ai';
import { useId } from 'react';

type Call = ToolUIPart | DynamicToolUIPart;
type Props = { call: Call; isLast: boolean; canDecide: boolean; onDecide(approvalId: string, approved: boolean): void };

/** What a tool does: while it is at it, when it is done, and as a question. */
const sentences: Record<string, [doing: string, done: string, question?: string]> = {
  searchDocumentation: ['Looking in the documentation', 'Looked in the documentation'],
  draftAgent: ['Checking a draft', 'Checked a draft'],
  checkNumbers: ['Checking phone numbers', 'Checked phone numbers'],
  listAgents: ['Looking at your agents', 'Looked at your agents'],
  getAgent: ['Looking at an agent', 'Looked at an agent'],
  listKnowledge: ['Looking at what the agent knows', 'Looked at what the agent knows'],
  listCalls: ['Looking at calls', 'Looked at calls'],
  isNumberBlocked: ['Looking in the block list', 'Looked in the block list'],
  createAgent: ['Creating an agent', 'Created an agent', 'Create this agent?'],
  updateAgent: ['Changing the agent', 'Changed the agent', 'Change the agent like this?'],
  duplicateAgent: ['Copying the agent', 'Copied the agent', 'Copy this agent?'],
  addWebsite: ['Adding a website', 'Added a website', 'Add this website?'],
  blockNumbers: ['Blocking numbers', 'Blocked numbers', 'Block these numbers?'],
};

/** A check, an exclamation mark, a dash, and an arc that turns. */
const marks = {
  done: 'M2.5 8.5 6.5 12.5 13.5 4',
  failed: 'M8 2.5v7M8 13.4v.1',
  denied: 'M3 8h10',
  busy: 'M8 2a6 6 0 1 1-6 6',
};
type Outcome = keyof typeof marks;

/** A call of a tool: what it does and what came of it, or the question whether it may. */
export const ToolCall = ({ call, isLast, canDecide, onDecide }: Props) => {
  const name = getToolName(call);
  const [doing, done, question = `May I use ${name}?`] = sentences[name] ?? [`Using ${name}`, `Used ${name}`];

  if (call.state === 'approval-requested' && isLast) {
    const { approval, input } = call;
    return (
      <Question question={question} input={input} canDecide={canDecide} decide={(yes) => onDecide(approval.id, yes)} />
    );
  }
  const outcomes: Partial<Record<Call['state'], [outcome: Outcome, sentence: string]>> = {
    'output-available': ['done', done],
    'output-error': ['failed', `${doing} did not work`],
    'approval-requested': ['denied', `${doing}: you did not answer, so it was not done`],
    'output-denied': ['denied', `${doing}: you said no`],
    'approval-responded': call.approval?.approved ? ['busy', `${doing} …`] : ['denied', `${doing}: you said no`],
  };
  const [outcome, sentence] = outcomes[call.state] ?? (['busy', `${doing} …`] as const);
  return (
    <details className="tool" data-outcome={outcome}>
      <summary>
        <svg className="outcome" viewBox="0 0 16 16" aria-hidden="true">
          <path d={marks[outcome]} />
        </svg>
        {sentence}
        <svg className="more" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M5.5 2.5 11 8l-5.5 5.5" />
        </svg>
      </summary>
      <Json title="Asked with" value={call.input} />
      {call.state === 'output-available' && <Json title="Answered" value={call.output} />}
      {call.state === 'output-error' && <Json title="Failed" value={call.errorText} />}
    </details>
  );
};

type QuestionProps = { question: string; input: unknown; canDecide: boolean; decide(approved: boolean): void };

const Question = ({ question, input, canDecide, decide }: QuestionProps) => {
  const heading = useId();
  return (
    <section className="question" aria-labelledby={heading}>
      <h3 id={heading}>{question}</h3>
      <Fields value={input} />
      <div className="buttons">
        <button type="button" disabled={!canDecide} onClick={() => decide(true)}>
          Approve
        </button>
        <button type="button" className="quiet" disabled={!canDecide} onClick={() => decide(false)}>
          Deny
        </button>
      </div>
    </section>
  );
};

/** What is to be approved, field by field, in full: nothing may hide in what is cut off. */
const Fields = ({ value }: { value: unknown }) => {
  if (typeof value !== 'object' || value === null) return <>{String(value)}</>;
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return <>{value.join(', ')}</>;
  return (
    <dl>
      {Object.entries(value).map(([name, field]) => (
        <div key={name}>
          <dt>{labelOf(name)}</dt>
          <dd dir="auto">
            <Fields value={field} />
          </dd>
        </div>
      ))}
    </dl>
  );
};

/** `phoneNumber` as people write it: “Phone number”. */
const labelOf = (name: string) => {
  const words = name.replace(/([a-z])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const Json = ({ title, value }: { title: string; value: unknown }) =>
  value === undefined ? null : (
    <>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>
    </>
  );
