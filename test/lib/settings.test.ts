import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { deploymentName, describeSettings, readSettings, SettingsError } from '../../lib/settings.ts';
import { buildApp, production, required } from '../support/deployment.ts';

const read = (context: Record<string, unknown>) => readSettings(buildApp(context).node.getAllContext());

const listErrors = (context: Record<string, unknown>): string[] => {
  try {
    read(context);
  } catch (error) {
    if (error instanceof SettingsError) return error.errors;
    throw error;
  }
  return [];
};

it('the settings of a deployment require a stage and an origin, and nothing else', () => {
  expect(listErrors({})).toEqual([
    'stage is missing. It must be dev, staging or prod.',
    expect.stringMatching(/^appOrigin is missing. It must be the origin of your web application .* such as https:/),
  ]);
  expect(read(required)).toEqual({
    stage: 'dev',
    deployment: undefined,
    appOrigins: ['https://app.example.com'],
    chat: 'public',
    chatModelId: 'global.anthropic.claude-haiku-4-5-20251001-v1:0',
    chatDailyTokens: 2_000_000,
    chatUserShare: 25,
    chatRatePerMinute: 30,
    chatConcurrency: 20,
    callTimeConcurrency: 'shared',
    deliveryConcurrency: 64,
    maxReadUnits: 12_000,
    maxWriteUnits: 4000,
    requestsPerSecond: 50,
    callTimeRequestsPerSecond: 50,
    callRetentionDays: undefined,
    changeLogDays: 400,
    lake: false,
    lakeNumbers: 'hash',
    quotaAgents: 1000,
    quotaSources: 1000,
    quotaDailyWrites: 10_000_000,
    crawlTrustedOrigins: [],
    hookKeysInAddress: true,
    mcpDeletes: false,
    mcpOauth: true,
    mcpRegistration: true,
    webhookTrustedOrigins: [],
    alarmEmail: undefined,
    monthlyBudget: undefined,
    edge: true,
    edgeSecretVersion: 1,
    domain: undefined,
    webAclArn: undefined,
    allowedCountries: [],
    logDays: 14,
    given: required,
  });
});

it('the settings of a deployment are read as text from the command line, and as any JSON value from cdk.json', () => {
  expect(read({ ...required, edge: 'false', chatDailyTokens: '5000', logDays: '7' })).toMatchObject({
    edge: false,
    chatDailyTokens: 5000,
    logDays: 7,
  });
  expect(read({ ...required, edge: false, chatDailyTokens: 5000, allowedCountries: [] })).toMatchObject({
    edge: false,
    chatDailyTokens: 5000,
  });
  expect(read({ ...required, requestsPerSecond: 20 })).toMatchObject({ callTimeRequestsPerSecond: 20 });
  expect(read({ ...required, requestsPerSecond: 20, callTimeRequestsPerSecond: 70 })).toMatchObject({
    requestsPerSecond: 20,
    callTimeRequestsPerSecond: 70,
  });
  expect(read(production)).toMatchObject({
    domain: { name: 'api.example.com', certificateArn: production.certificateArn },
    allowedCountries: ['DE', 'FR'],
    requestsPerSecond: 500,
    callTimeRequestsPerSecond: 500,
    callTimeConcurrency: 100,
    maxWriteUnits: 'none',
    logDays: 180,
  });
});

it.each([
  ['stage', 'production', 'stage must be dev, staging or prod, not "production".'],
  ['appOrigin', 'https://app.example.com/', /^appOrigin must be the origin of your web application/],
  ['appOrigin', '*', /^appOrigin must be the origin of your web application/],
  ['chatModelId', 'a model', /^chatModelId must be the id or ARN of a Bedrock model/],
  ['chatDailyTokens', '0', 'chatDailyTokens must be a whole number from 1 to 1,000,000,000, not "0".'],
  ['chatConcurrency', '1.5', 'chatConcurrency must be a whole number from 1 to 1,000, or shared, not "1.5".'],
  ['maxWriteUnits', 'all', 'maxWriteUnits must be a whole number, or none, not "all".'],
  ['callRetentionDays', '3651', /^callRetentionDays must be a whole number from 1 to 3,650/],
  ['quotaSources', 'all', /^quotaSources must be a whole number from 1/],
  ['crawlTrustedOrigins', 'intranet', /^crawlTrustedOrigins must be origins joined by commas/],
  ['alarmEmail', 'nobody', 'alarmEmail must be an e-mail address, or none, not "nobody".'],
  ['monthlyBudget', '100', 'monthlyBudget needs an alarmEmail, which receives its messages.'],
  ['edge', 'no', 'edge must be true or false, not "no".'],
  ['webAclArn', 'arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/a/b', /^webAclArn must be the ARN of a global/],
  ['allowedCountries', 'Germany', /^allowedCountries must be country codes/],
  ['logDays', '10', /^logDays must be one of 1, 3, 5, 7, 14,.* not 10\.$/],
])('the settings of a deployment reject %s=%s in one sentence', (name, value, sentence) => {
  expect(listErrors({ ...required, [name]: value })).toEqual([
    typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
  ]);
});

it('the settings of a deployment reject a certificate of another region, which CloudFront could not use', () => {
  const certificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/0f2a';
  expect(listErrors({ ...required, domainName: 'api.example.com', certificateArn })).toEqual([
    expect.stringMatching(/^certificateArn must be the ARN of a certificate in us-east-1/),
  ]);
});

it('the settings of a deployment reject a domain without a certificate, and the edge’s settings without the edge', () => {
  expect(listErrors({ ...required, domainName: 'api.example.com' })).toEqual([
    'domainName and certificateArn belong together: give both or neither.',
  ]);
  expect(listErrors({ ...required, edge: 'false', allowedCountries: 'DE', webAclArn: production.webAclArn })).toEqual([
    'webAclArn, allowedCountries cannot be given with edge=false.',
  ]);
});

it('the settings of a deployment reject an unknown name, and suggest the closest one', () => {
  const [error] = listErrors({ ...required, alarmemail: 'operator@example.com' });
  expect(error).toMatch(
    /^There is no setting alarmemail\. Did you mean alarmEmail\? The settings are: stage, deployment, appOrigin,/,
  );
});

it('the settings of a deployment report all errors at once: those of one setting, of two together, and unknown names', () => {
  const wrong = { stage: 'x', appOrigin: 'y', edge: 'z', domainName: 'api.example.com', color: 'red' };
  expect(listErrors(wrong)).toEqual([
    'stage must be dev, staging or prod, not "x".',
    expect.stringMatching(/^appOrigin must be .* not "y"\.$/),
    'edge must be true or false, not "z".',
    expect.stringMatching(/^There is no setting color\. The settings are:/),
    'domainName and certificateArn belong together: give both or neither.',
  ]);
});

it('the settings of a deployment come from a file, and those of the command line win', () => {
  const settings = writeSettings({
    stage: 'prod',
    appOrigin: 'https://app.example.com',
    alarmEmail: 'ops@example.com',
    logDays: 30,
  });
  expect(read({ settings })).toMatchObject({ stage: 'prod', alarmEmail: 'ops@example.com', logDays: 30 });
  expect(read({ settings, logDays: '7' })).toMatchObject({ alarmEmail: 'ops@example.com', logDays: 7 });
  expect(listErrors({ settings: writeSettings({ ...required, alarmMail: 'x' }) })).toEqual([
    expect.stringMatching(/^There is no setting alarmMail\./),
  ]);
  expect(listErrors({ settings: writeSettings([]) })).toEqual([
    expect.stringMatching(/cannot be read: it must be an object of settings\.$/),
  ]);
  expect(listErrors({ settings: join(folder, 'nowhere.json') })).toEqual([
    expect.stringMatching(/nowhere\.json cannot be read: ENOENT/),
  ]);
});

it('two deployments of a stage have different names', () => {
  expect(deploymentName(read(required))).toBe('voice-agents-dev');
  expect(deploymentName(read({ ...required, deployment: 'acme' }))).toBe('voice-agents-acme-dev');
  expect(listErrors({ ...required, deployment: 'Acme Inc.' })).toEqual([
    'deployment must be at most 12 lower-case letters, digits and hyphens, such as acme, not "Acme Inc.".',
  ]);
});

it('a deployment of prod names the recipient of its alarms, or states that there is none by email', () => {
  const prod = { ...required, stage: 'prod' };
  expect(listErrors(prod)).toEqual([
    expect.stringMatching(/^alarmEmail is missing\. In prod, alarms need a recipient/),
  ]);
  expect(read({ ...prod, alarmEmail: 'none' })).toMatchObject({ alarmEmail: undefined });
});

const folder = mkdtempSync(join(tmpdir(), 'settings-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const writeSettings = (content: object): string => {
  const file = join(folder, `${++files}.json`);
  writeFileSync(file, JSON.stringify(content));
  return file;
};

it('every setting is described with the form of its value and its default, as errors describe it', () => {
  const lines = describeSettings();
  expect(lines.length).toBeGreaterThan(30);
  for (const line of lines) expect(line).toMatch(/^ {2}[a-zA-Z]+ {2,}\S.{5,}/);
  const text = lines.join('\n').replaceAll(/ {3,}/g, '  ');
  expect(text).toContain('  stage  dev, staging or prod (required)\n');
  expect(text).toContain('  quotaAgents  a whole number from 1 to 1,000,000,000 (default: 1000)\n');
  expect(text).toContain('(default: 50, in staging 50, in prod 500)');
});
