import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { changedSettings } from '../../../bin/deployment/changed-settings.ts';
import { startCloudFormation } from '../../support/cloud-formation.ts';

const deploy = async (endpoint: string, ...settings: string[]) => {
  const context = ['stage=dev', 'appOrigin=https://app.example.com', ...settings].flatMap((one) => ['--context', one]);
  const child = spawn(process.execPath, ['bin/deploy.ts', ...context], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_ENDPOINT_URL: endpoint,
    },
  });
  const [[code], stderr] = await Promise.all([once(child, 'close'), text(child.stderr)]);
  return { code, stderr };
};

it('a deployment that lacks settings of the one before is refused, and names them', async () => {
  const required = { stage: 'dev', appOrigin: 'https://app.example.com' };
  const deployed = { ...required, alarmEmail: 'operator@example.com', callRetentionDays: '90', logDays: '' };
  const cloudFormation = await startCloudFormation('voice-agents-dev', { Settings: JSON.stringify(deployed) });
  try {
    expect(await deploy(cloudFormation.endpoint, 'callRetentionDays=30')).toEqual({
      code: 2,
      stderr: `These settings of voice-agents-dev are missing now:
  - alarmEmail: operator@example.com
Add them to the settings, or give an empty value to take one back: --context alarmEmail=
`,
    });
  } finally {
    await cloudFormation.stop();
  }
});

it('a deployment without CloudFormation ends with the address that does not respond', async () => {
  const { code, stderr } = await deploy('http://127.0.0.1:9');
  expect([code, stderr]).toEqual([1, '127.0.0.1:9 cannot be reached (ECONNREFUSED).\n']);
});

it('the settings that a deployment changes are described one by one', () => {
  expect(changedSettings({ logDays: '30', edge: 'true' }, { logDays: '', edge: 'true', chat: 'key' })).toEqual([
    'chat: default → key',
    'logDays: 30 → default',
  ]);
});
