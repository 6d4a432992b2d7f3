/**
 * `npm run deploy`: deploys the service. It first compares the settings with those of the existing deployment. It reports
 * what changes, and refuses to reset a setting that is merely missing.
 */
import { deploymentName, describeSettings } from '../lib/settings.ts';
import { describeError } from './command-line/describe-error.ts';
import { exitCodes } from './command-line/exit-codes.ts';
import { fail, parseContext, runCdk, toSettings } from './deployment/cdk.ts';
import { changedSettings, forgottenSettings, type GivenSettings } from './deployment/changed-settings.ts';
import { findOutputs } from './operator/stack.ts';

const words = process.argv.slice(2);
if (words.includes('--help') || words.includes('-h')) {
  console.log(`Deploys the service to AWS as the stack voice-agents-STAGE.

Usage: npm run deploy -- --context stage=STAGE --context NAME=VALUE …

Settings, from the command line or from settings/STAGE.json (lib/README.md describes each):
${describeSettings().join('\n')}

All other options are those of CDK: npx cdk deploy --help`);
  process.exit(exitCodes.done);
}

if (words.includes('--profile')) process.env.AWS_PROFILE = words[words.indexOf('--profile') + 1];

const settings = toSettings(parseContext(words));
const stack = deploymentName(settings);
const outputs = await findOutputs(stack).catch((error) => fail(describeError(error), exitCodes.failed));
const before: GivenSettings | undefined = outputs?.Settings && JSON.parse(outputs.Settings);
if (before) {
  const forgotten = forgottenSettings(before, settings.given);
  if (forgotten.length > 0) {
    const list = forgotten.map((name) => `  - ${name}: ${before[name]}`).join('\n');
    fail(
      `These settings of ${stack} are missing now:\n${list}\nAdd them to the settings, or give an empty value to take one back: --context ${forgotten[0]}=`,
    );
  }
  const changed = changedSettings(before, settings.given).map((line) => `  - ${line}`);
  if (changed.length > 0) console.error(`Settings of ${stack} that change:\n${changed.join('\n')}`);
}
runCdk('deploy', words);
