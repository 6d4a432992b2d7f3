import { type DynamicToolUIPart, getToolName, type ToolUIPart } from 'ai';
import type { SyntheticEvent } from 'react';
import { Approval } from './approval.tsx';

type Call = ToolUIPart | DynamicToolUIPart;
type Props = { call: Call; isLast: boolean; canAnswer: boolean; onAnswer(approvalId: string, approved: boolean): void };

/** Sentences for each tool: while it runs, when it is done, and as a question. */
const sentences: Record<string, [running: string, done: string, question?: string]> = {
  searchDocumentation: ['Searching the documentation', 'Searched the documentation'],
  draftAgent: ['Checking a draft', 'Checked a draft'],
  checkNumbers: ['Checking phone numbers', 'Checked phone numbers'],
  listAgents: ['Listing your agents', 'Listed your agents'],
  getAgent: ['Reading an agent', 'Read an agent'],
  listKnowledge: ['Listing the agent’s knowledge', 'Listed the agent’s knowledge'],
  searchKnowledge: ['Searching the agent’s knowledge', 'Searched the agent’s knowledge'],
  listCalls: ['Listing calls', 'Listed calls'],
  getCallFigures: ['Counting calls', 'Counted calls'],
  isNumberBlocked: ['Checking the block list', 'Checked the block list'],
  checkConsent: ['Checking the consent', 'Checked the consent'],
  listConsents: ['Looking at consents', 'Looked at consents'],
  createAgent: ['Creating an agent', 'Created an agent', 'Create this agent?'],
  updateAgent: ['Updating the agent', 'Updated the agent', 'Update the agent?'],
  duplicateAgent: ['Copying the agent', 'Copied the agent', 'Copy this agent?'],
  addWebsite: ['Adding a website', 'Added a website', 'Add this website?'],
  blockNumbers: ['Blocking numbers', 'Blocked numbers', 'Block these numbers?'],
};

/** A check mark, an exclamation mark, a dash, and a turning arc. */
const marks = {
  done: 'M2.5 8.5 6.5 12.5 13.5 4',
  failed: 'M8 2.5v7M8 13.4v.1',
  denied: 'M3 8h10',
  busy: 'M8 2a6 6 0 1 1-6 6',
};
type Outcome = keyof typeof marks;

/** A tool call with its result, or the question whether to run it. */
export const ToolCall = ({ call, isLast, canAnswer, onAnswer }: Props) => {
  const name = getToolName(call);
  const [running, done, question = `Run ${name}?`] = sentences[name] ?? [`Running ${name}`, `Ran ${name}`];

  if (call.state === 'approval-requested' && isLast) {
    const { approval, input } = call;
    const answer = (approved: boolean) => onAnswer(approval.id, approved);
    return <Approval question={question} toolName={name} input={input} canAnswer={canAnswer} answer={answer} />;
  }
  const outcomes: Partial<Record<Call['state'], [outcome: Outcome, sentence: string]>> = {
    'output-available': ['done', done],
    'output-error': ['failed', `${running} failed`],
    'approval-requested': ['denied', `${running}: not approved, so it was not done`],
    'output-denied': ['denied', `${running}: denied`],
    'approval-responded': call.approval?.approved ? ['busy', `${running} …`] : ['denied', `${running}: denied`],
  };
  const [outcome, sentence] = outcomes[call.state] ?? (['busy', `${running} …`] as const);
  return (
    <details className="tool" data-outcome={outcome} onToggle={keepInView}>
      <summary>
        <svg className="outcome" viewBox="0 0 16 16" aria-hidden="true">
          <path d={marks[outcome]} />
        </svg>
        {sentence}
        <svg className="more" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M5.5 2.5 11 8l-5.5 5.5" />
        </svg>
      </summary>
      <Json title="Input" value={call.input} />
      {call.state === 'output-available' && <Json title="Output" value={call.output} />}
      {call.state === 'output-error' && <Json title="Error" value={call.errorText} />}
    </details>
  );
};

/** Keeps an opened call in view. At the end of the page, it would otherwise open out of sight. */
const keepInView = ({ currentTarget }: SyntheticEvent<HTMLDetailsElement>) => {
  if (currentTarget.open) currentTarget.scrollIntoView({ block: 'nearest' });
};

const Json = ({ title, value }: { title: string; value: unknown }) =>
  value === undefined ? null : (
    <>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling content must be reachable by keyboard */}
      <pre tabIndex={0}>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>
    </>
  );
