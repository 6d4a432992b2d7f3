import { InvalidArgumentError } from '@commander-js/extra-typings';
import {
  blockingOf,
  type Call,
  CallOutcomeChange,
  fieldsOf,
  matchesFilters,
  Preference,
  toCallReference,
  withOutcome,
} from '../../functions/domain/calls.ts';
import { now } from '../../functions/domain/date-time.ts';
import { Identifier } from '../../functions/domain/identifiers.ts';
import { parseJson } from '../../functions/domain/json.ts';
import { validate } from '../../functions/domain/validation.ts';
import { as, detailsOf, pathOf, wholeNumber } from '../command-line/arguments.ts';
import { selectingCalls, toSelection } from '../command-line/call-filter.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { interruption } from '../command-line/interruption.ts';
import { columns, count, print, record, say } from '../command-line/output.ts';
import { writeOutput } from '../command-line/output-file.ts';
import { reportDeletion } from './deletion.ts';
import { existingAgent } from './existing-agent.ts';
import { importCalls } from './import-calls.ts';
import { importDisplay } from './import-display.ts';
import { examples, type Operator } from './program.ts';
import { openStores, type Stores } from './stores.ts';

/** Recorded as the key of changes that the operator makes. */
const operatorKeyId = 'operator';

export const addCallsCommands = (program: Operator) => {
  const calls = program.command('calls').description('Calls of agents and their outcomes');

  selectingCalls(
    calls
      .command('list')
      .description('List calls of an agent, the newest first')
      .requiredOption('--agent-id <id>', 'the agent', as(Identifier))
      .option('--limit <number>', 'the maximum number of calls', wholeNumber(1, 10_000), 50),
  )
    .addHelpText(
      'after',
      examples('calls list --agent-id front-desk', 'calls list --agent-id front-desk --from 7d --without-outcome'),
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { agentId, limit } = options;
      const stores = await openStores(options);
      await existingAgent(stores.agents, agentId);
      const found: Call[] = [];
      let more = false;
      for await (const call of selectedCalls(stores, agentId, toSelection(options))) {
        more = found.length === limit;
        if (more) break;
        found.push(call);
      }
      print(options, { agentId, calls: found, more }, () =>
        found.length === 0
          ? `Agent ${agentId} has no such calls.`
          : columns(
              found.map((call) => [
                call.callId,
                call.startedAt,
                call.direction,
                call.phone,
                call.status,
                call.custom_call_outcome,
                call.custom_call_outcome_value,
              ]),
              ['CALL', 'STARTED', 'DIRECTION', 'PHONE', 'STATUS', 'OUTCOME', 'VALUE'],
            ),
      );
      if (more && !options.json) say('There are more calls. Use a higher --limit, or "calls export" for all of them.');
    });

  calls
    .command('show')
    .description('Show a call')
    .argument('<callIdOrPhone>', 'the id of the call, or a phone number in E.164 format')
    .requiredOption('--agent-id <id>', 'the agent', as(Identifier))
    .option('--preference <preference>', 'which call of a phone number: first or last', as(Preference), 'last' as const)
    .addHelpText(
      'after',
      examples('calls show call-0042 --agent-id front-desk', 'calls show +14155550100 --agent-id front-desk'),
    )
    .action(async (callIdOrPhone, _, command) => {
      const options = command.optsWithGlobals();
      const { agentId, preference } = options;
      const stores = await openStores(options);
      await existingAgent(stores.agents, agentId);
      const call = await stores.calls.find(agentId, toCallReference(callIdOrPhone, preference));
      if (!call) throw noSuchCall(agentId, callIdOrPhone);
      print(options, call, () => describeCall(call));
    });

  calls
    .command('update')
    .description('Set or clear the outcome of a call')
    .argument('<callIdOrPhone>', 'the id of the call, or a phone number in E.164 format')
    .requiredOption('--agent-id <id>', 'the agent', as(Identifier))
    .option('--preference <preference>', 'which call of a phone number: first or last', as(Preference), 'last' as const)
    .option('--outcome <label>', 'the outcome')
    .option('--no-outcome', 'clear the outcome')
    .option('--value <number>', 'the monetary value of the outcome', toNumber)
    .option('--no-value', 'clear the value')
    .option('--metadata <json>', 'an object as JSON, which replaces the metadata', toJson)
    .option('--no-metadata', 'clear the metadata')
    .addHelpText(
      'after',
      examples(
        'calls update call-0042 --agent-id front-desk --outcome appointment_booked --value 149.50',
        'calls update call-0042 --agent-id front-desk --no-outcome --no-value',
      ),
    )
    .action(async (callIdOrPhone, _, command) => {
      const options = command.optsWithGlobals();
      const { agentId, preference } = options;
      const { data: change, error } = validate(CallOutcomeChange, {
        custom_call_outcome: nullIfFalse(options.outcome),
        custom_call_outcome_value: nullIfFalse(options.value),
        custom_call_metadata: nullIfFalse(options.metadata),
      });
      if (error) throw new CommandError(`The outcome is not valid: ${detailsOf(error)}.`, exitCodes.usage);
      if (fieldsOf(change).length === 0) {
        throw new CommandError('Nothing to change. Use --outcome, --value or --metadata.', exitCodes.usage);
      }
      const stores = await openStores(options);
      const { owner, blockOnOutcomes } = await existingAgent(stores.agents, agentId);
      const updated = await stores.calls.setOutcome({
        agentId,
        reference: toCallReference(callIdOrPhone, preference),
        change: (call) => withOutcome(call, change, 'replace', operatorKeyId, now()),
        block: blockingOf(change, { uid: owner, blockOnOutcomes }),
      });
      if (!updated) throw noSuchCall(agentId, callIdOrPhone);
      print(options, updated, () => describeCall(updated));
    });

  calls
    .command('delete')
    .description('Delete a call')
    .argument('<callId>', 'the id of the call', as(Identifier))
    .requiredOption('--agent-id <id>', 'the agent', as(Identifier))
    .option('--yes', 'do it; without this option, the call is only looked for')
    .addHelpText('after', examples('calls delete call-0042 --agent-id front-desk --yes'))
    .action(async (callId, _, command) => {
      const options = command.optsWithGlobals();
      const { agentId, yes } = options;
      const stores = await openStores(options);
      await existingAgent(stores.agents, agentId);
      const isThere = yes ? await stores.calls.remove(agentId, callId) : await stores.calls.find(agentId, { callId });
      if (!isThere) throw noSuchCall(agentId, callId);
      reportDeletion(options, { agentId, callId }, { calls: 1 });
    });

  selectingCalls(
    calls
      .command('export')
      .description('Export calls of an agent as JSON lines, the format of "calls import"')
      .requiredOption('--agent-id <id>', 'the agent', as(Identifier))
      .option('--output <file>', 'the file to write (default: standard output)'),
  )
    .addHelpText(
      'after',
      examples(
        'calls export --agent-id front-desk --output calls.jsonl',
        'calls export --agent-id front-desk --from 2026-01-01 --to 2026-02-01 --output january.jsonl',
      ),
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { agentId, output } = options;
      const stores = await openStores(options);
      await existingAgent(stores.agents, agentId);
      let exported = 0;
      async function* lines() {
        for await (const call of selectedCalls(stores, agentId, toSelection(options))) {
          exported += 1;
          yield `${JSON.stringify(call)}\n`;
        }
      }
      await writeOutput(output, lines());
      if (output) print(options, { agentId, output, calls: exported }, () => `${count(exported, 'call')} exported.`);
    });

  calls
    .command('import')
    .description('Import calls from a file of JSON lines')
    .argument('<file>', 'the file, one call per line')
    .addHelpText(
      'after',
      `
A line is the body of PUT /calls/{agentId}/{callId} with the two ids:

  {"agentId":"front-desk","callId":"c-1","phone":"+14155550123","direction":"inbound","startedAt":"2026-01-31T12:00:00Z"}

phone, endedAt, durationSeconds, status and details are optional. Outcomes are not imported and stay as they are.
Invalid lines are reported with their number, and the others are imported. Importing a file twice changes nothing. After an
interruption, the same command continues: <file>.progress keeps the position until the import is complete.
${examples('calls import calls.jsonl', 'calls import calls.jsonl --table voice-agents --region eu-central-1')}`,
    )
    .action(async (file, _, command) => {
      const options = command.optsWithGlobals();
      const stores = await openStores(options);
      using stop = interruption();
      const display = importDisplay(file);
      const report = await importCalls(stores, pathOf(file), display, stop.signal).finally(() => display.end());
      const { line, imported, failed, errors, resumedAfterLine } = report;
      if (report.stopped) {
        throw new CommandError(
          `Stopped after line ${line}. Run the same command again to continue.`,
          exitCodes.unfinished,
        );
      }
      const resumed = resumedAfterLine !== undefined && { resumedAfterLine };
      print(options, { file, lines: line, imported, failed, errors, ...resumed }, () =>
        record({ lines: line, imported, failed }),
      );
      if (failed > 0) throw new CommandError(`${count(failed, 'line')} could not be imported.`);
    });
};

async function* selectedCalls(
  { calls }: Stores,
  agentId: string,
  { range, filters }: ReturnType<typeof toSelection>,
): AsyncGenerator<Call> {
  if (range.from !== undefined && range.to !== undefined && range.from > range.to) return;
  for await (const call of calls.list(agentId, range)) if (matchesFilters(call, filters)) yield call;
}

const noSuchCall = (agentId: string, callIdOrPhone: string) =>
  new CommandError(`Agent ${agentId} has no call ${callIdOrPhone}.`);

/** Commander gives `false` for `--no-…`; the API clears a field with null. */
const nullIfFalse = <T>(value: T | false | true | undefined) => (value === false ? null : value);

function toNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number))
    throw new InvalidArgumentError('It must be a number such as 149.50.');
  return number;
}

function toJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new InvalidArgumentError('It must be JSON.');
  }
}

const describeCall = (call: Call) => {
  const head = record({
    call: call.callId,
    agent: call.agentId,
    phone: call.phone,
    direction: call.direction,
    started: call.startedAt,
    ended: call.endedAt,
    'duration (s)': call.durationSeconds,
    status: call.status,
    outcome: call.custom_call_outcome,
    value: call.custom_call_outcome_value,
    metadata: call.custom_call_metadata && JSON.stringify(call.custom_call_metadata),
  });
  const { outcomeHistory = [] } = call;
  if (outcomeHistory.length === 0) return head;
  const rows = outcomeHistory.map(({ at, keyId, fields }) => [at, keyId, fields.join(', ')]);
  return `${head}\n\n${columns(rows, ['OUTCOME CHANGED', 'BY KEY', 'FIELDS'])}`;
};
