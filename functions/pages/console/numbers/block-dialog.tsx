import { useState } from 'react';
import type { AddBlockedNumbersResponse } from '../../../openapi/client/client.ts';
import { AgentChoice } from '../components/agent-filter.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Field, TextField } from '../components/fields.tsx';
import { Form } from '../components/form.tsx';
import { LastDayField, useEndOfDay } from '../components/last-day-field.tsx';
import { Table } from '../components/paged-table.tsx';
import { formatNumber } from '../formats.ts';
import { useChange, useService } from '../service.tsx';

/** The maximum for one request. */
const maxNumbers = 10_000;

type BlockDialogProps = { numbers?: string; agentId: string | undefined; onClose(): void };

/** Blocks numbers, and lists those that could not be blocked. */
export const BlockDialog = ({ numbers = '', agentId, onClose }: BlockDialogProps) => {
  const { api } = useService();
  const endOf = useEndOfDay();
  const [text, setText] = useState(numbers);
  const [list, setList] = useState(agentId ?? '');
  const [reason, setReason] = useState('');
  const [lastDay, setLastDay] = useState('');
  const all = text.split(/[\n,;]/).filter((line) => line.trim() !== '');
  const blocking = useChange(
    (_, options) => {
      const entry = {
        numbers: all,
        reason: reason.trim() || undefined,
        expiresAt: endOf(lastDay),
      };
      return list ? api.blockList.add({ agentId: list, ...entry }, options) : api.userBlockList.add(entry, options);
    },
    { changes: [['numbers']], done: ({ added }) => `Numbers blocked: ${formatNumber(added.length)}.` },
  );
  if (blocking.data) return <Result data={blocking.data} onClose={onClose} />;
  const problem =
    all.length > maxNumbers ? `At most ${formatNumber(maxNumbers)} at once: import a file instead.` : undefined;
  return (
    <Dialog title="Block numbers" onClose={onClose}>
      <Form
        change={blocking}
        submit="Block"
        pending="Blocking …"
        isDisabled={all.length === 0 || problem !== undefined}
        onSubmit={() => blocking.mutate(undefined)}
        onCancel={onClose}
      >
        <Field label="Numbers" name="numbers" problem={problem} note="One on each line, in international format.">
          {(ids) => (
            <textarea {...ids} required rows={4} value={text} onChange={(event) => setText(event.target.value)} />
          )}
        </Field>
        <AgentChoice label="Blocked for" none="All agents" value={list} onChange={setList} />
        <TextField
          label="Reason"
          name="reason"
          note="Shown when the number is looked up."
          maxLength={256}
          value={reason}
          onChange={setReason}
        />
        <LastDayField note="Without it, the numbers stay blocked." value={lastDay} onChange={setLastDay} />
      </Form>
    </Dialog>
  );
};

const Result = ({ data: { added, failed }, onClose }: { data: AddBlockedNumbersResponse; onClose(): void }) => (
  <Dialog title="Block numbers" onClose={onClose}>
    <div className="stack">
      <p>
        {added.length === 1 ? `${added[0]} is blocked.` : `Numbers blocked: ${formatNumber(added.length)}.`}
        {failed.length > 0 && ` Not blocked: ${formatNumber(failed.length)}.`}
      </p>
      {failed.length > 0 && (
        <Table
          caption="Numbers that were not blocked"
          items={failed.slice(0, 200)}
          keyOf={(_, index) => String(index)}
          columns={[
            { heading: 'Number', cell: ({ number }) => <bdi>{number}</bdi> },
            { heading: 'Why not', cell: ({ reason, message = reason }) => message },
          ]}
        />
      )}
      <div className="buttons">
        <button type="button" onClick={onClose}>
          Done
        </button>
      </div>
    </div>
  </Dialog>
);
