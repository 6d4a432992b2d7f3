import { useState } from 'react';
import type { User } from '../../../openapi/client/client.ts';
import { Choice, TextField } from '../components/fields.tsx';
import type { Texts } from '../components/form.tsx';
import { Section } from '../components/parts.tsx';
import { Picker } from '../components/picker.tsx';
import { Facts, Status, Time } from '../components/values.tsx';
import { formatFullMoney, formatPercent, ownTimeZone } from '../formats.ts';

type Budget = NonNullable<User['budget']>;

const periods = [
  { value: 'month', label: 'Calendar month' },
  { value: 'day', label: 'Day' },
];

const actions: Record<Budget['action'], string> = {
  tell: 'Only the event user.budget_reached is sent',
  refuse_outbound: 'Outbound calls are refused until the period ends',
  refuse: 'All calls are refused until the period ends',
};
const actionOptions = Object.entries(actions).map(([value, label]) => ({ value, label }));

const zoneOptions = [...new Set(['UTC', ownTimeZone, ...Intl.supportedValuesOf('timeZone')])].map((value) => ({
  value,
  label: value.replaceAll('_', ' '),
}));

/** The choices of a budget that are no texts of its form. */
type Choices = Pick<Budget, 'per' | 'action' | 'timeZone'>;

/** Returns the choices of the form of a budget, and how its budget is read. Without an amount, there is none. */
export const useBudget = (budget: Budget | undefined) => {
  const { per = 'month', action = 'tell', timeZone = budget ? budget.timeZone : ownTimeZone } = budget ?? {};
  const [choices, setChoices] = useState<Choices>({ per, action, timeZone });
  const readBudget = ({ 'budget.amount': amount, 'budget.currency': currency = '' }: Texts) =>
    amount ? { amount: Number(amount), currency: currency.trim(), ...choices } : null;
  const fields = (
    <fieldset className="stack">
      <legend>Budget</legend>
      <TextField
        label="Amount"
        name="budget.amount"
        type="number"
        step="any"
        min={0}
        note="What the calls may cost in a period. Without an amount, there is no budget."
        defaultValue={budget?.amount}
      />
      <TextField
        label="Currency"
        name="budget.currency"
        note="That of the costs: three capital letters, or credits."
        placeholder="USD"
        maxLength={7}
        autoComplete="off"
        defaultValue={budget?.currency}
      />
      <Choice
        label="Period"
        options={periods}
        value={choices.per}
        onChange={(per) => setChoices({ ...choices, per: per as Budget['per'] })}
      />
      <Picker
        label="Time zone of the period"
        options={zoneOptions}
        value={choices.timeZone}
        onChange={(timeZone) => setChoices({ ...choices, timeZone })}
      />
      <Choice
        label="When it is spent"
        options={actionOptions}
        value={choices.action}
        onChange={(action) => setChoices({ ...choices, action: action as Budget['action'] })}
      />
    </fieldset>
  );
  return { fields, readBudget };
};

/** A client's budget: how much of it is spent, and what happens when all of it is. */
export const BudgetSection = ({ budget }: { budget: Budget | undefined }) => (
  <Section title="Budget">
    {budget ? (
      <>
        <div className="progress">
          <progress aria-label="Share of the budget that is spent" max={1} value={Math.min(1, budget.share)} />
          <Status
            tone={budget.share >= 1 ? 'bad' : budget.share >= 0.8 ? 'working' : 'good'}
            label={`${formatPercent(budget.share)} of ${formatFullMoney(budget.amount, budget.currency)}`}
          />
        </div>
        {budget.note && <p className="note">{budget.note}</p>}
        <Facts
          facts={{
            Spent: formatFullMoney(Number(budget.spent), budget.currency),
            Period: `${budget.per === 'day' ? 'Day' : 'Calendar month'} in ${budget.timeZone.replaceAll('_', ' ')}`,
            'Next period': <Time at={budget.periodEnd} />,
            'When it is spent': actions[budget.action],
          }}
        />
      </>
    ) : (
      <p className="faint">
        There is no budget: the calls may cost any amount. <a href="/docs/users-and-keys">About budgets</a>
      </p>
    )}
  </Section>
);
