import { useState } from 'react';
import type { AddBlockedNumbersResponse } from '../../../openapi/client/client.ts';
import { AgentChoice } from '../components/agent-filter.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { Field, LastDayField, TextField, useEndOfDay } from '../components/fields.tsx';
import type { Texts } from '../components/form.tsx';
import { Report } from '../components/report.tsx';
import { formatNumber } from '../formats.ts';
import { useChange } from '../service.tsx';

/** The maximum for one request. */
const maxNumbers = 10_000;

type BlockDialogProps = { numbers?: string; agentId: string | undefined; onClose(): void };

/** Blocks numbers, and lists those that could not be blocked. */
export const BlockDialog = ({ numbers = '', agentId, onClose }: BlockDialogProps) => {
  const endOf = useEndOfDay();
  const [text, setText] = useState(numbers);
  const [list, setList] = useState(agentId ?? '');
  const all = text.split(/[\n,;]/).filter((line) => line.trim() !== '');
  const blocking = useChange(
    (api, options, { reason, expiresAt }: Texts) => {
      const entry = { numbers: all, reason: reason || undefined, expiresAt: endOf(expiresAt) };
      return list ? api.blockList.add({ agentId: list, ...entry }, options) : api.userBlockList.add(entry, options);
    },
    { changes: [['numbers']], done: ({ added }) => `Numbers blocked: ${formatNumber(added.length)}.` },
  );
  const problem =
    all.length > maxNumbers ? `At most ${formatNumber(maxNumbers)} at once: import a file instead.` : undefined;
  return (
    <FormDialog
      title="Block numbers"
      result={blocking.data && <Result data={blocking.data} onDone={onClose} />}
      change={blocking}
      submit="Block"
      pending="Blocking …"
      isDisabled={all.length === 0 || problem !== undefined}
      onClose={onClose}
    >
      <Field label="Numbers" name="numbers" problem={problem} note="One on each line, in international format.">
        {(ids) => (
          <textarea {...ids} required rows={4} value={text} onChange={(event) => setText(event.target.value)} />
        )}
      </Field>
      <AgentChoice label="Blocked for" none="All agents" value={list} onChange={setList} />
      <TextField label="Reason" name="reason" note="Shown when the number is looked up." maxLength={256} />
      <LastDayField note="Without it, the numbers stay blocked." />
    </FormDialog>
  );
};

const Result = ({ data: { added, failed }, onDone }: { data: AddBlockedNumbersResponse; onDone(): void }) => {
  const blocked = added.length === 1 ? `${added[0]} is blocked.` : `Numbers blocked: ${formatNumber(added.length)}.`;
  return (
    <Report
      text={blocked + (failed.length > 0 ? ` Not blocked: ${formatNumber(failed.length)}.` : '')}
      caption="Numbers that were not blocked"
      what="Number"
      failures={failed.map(({ number, reason, message = reason }) => ({ what: number, why: message }))}
      onDone={onDone}
    />
  );
};
