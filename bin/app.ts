/** The CDK app: `npm run deploy`, `npm run synth`. Settings come from CDK's context. */
import { App } from 'aws-cdk-lib';
import { readSettings, SettingsError } from '../lib/settings.ts';
import { VoiceAgentsStack } from '../lib/voice-agents-stack.ts';

const app = new App();
try {
  new VoiceAgentsStack(app, readSettings(app.node.getAllContext()));
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exit(1);
}
