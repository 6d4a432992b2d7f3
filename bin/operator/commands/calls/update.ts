import { InvalidArgumentError } from '@commander-js/extra-typings';
import { decideOutcome } from '../../../../functions/domain/call-outcomes.ts';
import {
  CallOutcomeChange,
  listOutcomeFields,
  Preference,
  toCallReference,
} from '../../../../functions/domain/calls.ts';
import { now } from '../../../../functions/domain/date-time.ts';
import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { parseJson } from '../../../../functions/domain/json.ts';
import { validate } from '../../../../functions/domain/validation.ts';
import { as, formatDetails } from '../../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { print } from '../../../command-line/output.ts';
import { describeCall, noSuchCall } from '../../calls/describe-call.ts';
import { existingAgent } from '../../existing.ts';
import { readJsonText } from '../../json-file.ts';
import { operatorKeyId } from '../../operator-key.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const updateCall = (calls: Group) =>
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
    .option('--metadata <json>', 'an object as JSON, or a file with one, which replaces the metadata')
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
        custom_call_metadata: nullIfFalse(options.metadata && (await readMetadata(options.metadata))),
      });
      if (error) throw new CommandError(`The outcome is not valid: ${formatDetails(error)}.`, exitCodes.usage);
      if (listOutcomeFields(change).length === 0) {
        throw new CommandError('Nothing to change. Use --outcome, --value or --metadata.', exitCodes.usage);
      }
      const stores = await openStores(options);
      const agent = await existingAgent(stores.agents, agentId);
      const origin = { uid: agent.owner, keyId: operatorKeyId, at: now() };
      const updated = await stores.calls.setOutcome({
        agentId,
        reference: toCallReference(callIdOrPhone, preference),
        ...decideOutcome(change, { ...agent, agentId }, origin),
      });
      if (!updated) throw noSuchCall(agentId, callIdOrPhone);
      print(options, updated, () => describeCall(updated));
    });

/** Converts Commander's `false` for `--no-…` to null, with which the API clears a field. */
const nullIfFalse = <T>(value: T | false | true | undefined) => (value === false ? null : value);

function toNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number))
    throw new InvalidArgumentError('It must be a number such as 149.50.');
  return number;
}

const readMetadata = async (given: string): Promise<unknown> => {
  const text = await readJsonText(given);
  try {
    // JSON.parse would round large numbers.
    return parseJson(text);
  } catch {
    throw new CommandError(`${given} is not JSON.`, exitCodes.usage);
  }
};
