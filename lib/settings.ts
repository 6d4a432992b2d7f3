import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { lakeNumbers } from '../functions/domain/lake.ts';

/** Returns the rest of a sentence that begins with the name of a setting. */
const mustBe = (form: string) => ({
  error: ({ input }: { input?: unknown }) =>
    input === undefined ? `is missing. It must be ${form}.` : `must be ${form}, not ${JSON.stringify(input)}.`,
});
const text = (pattern: RegExp, form: string) => z.string().regex(pattern, mustBe(form));
const whole = (max = 1e9, min = 1) => {
  const isValid = (value: string) => /^[1-9]\d*$/.test(value) && Number(value) >= min && Number(value) <= max;
  return z
    .string()
    .refine(isValid, mustBe(`a whole number from ${min} to ${max.toLocaleString('en')}`))
    .transform(Number);
};
const list = (isValid: (item: string) => boolean, form: string) =>
  z
    .string(mustBe(form))
    .refine((value) => value.split(',').every(isValid), mustBe(form))
    .transform((value) => value.split(','));

const flag = () => z.enum(['true', 'false'], mustBe('true or false')).transform((value) => value === 'true');
const concurrency = () =>
  z.union([z.literal('shared'), whole(1000)], mustBe('a whole number from 1 to 1,000, or shared'));
const units = () => z.union([z.literal('none'), whole()], mustBe('a whole number, or none')).optional();

const isOrigin = (value: string) => URL.parse(value)?.origin === value;
const isLocal = (value: string) => /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/.test(value);

/** The retention periods that CloudWatch Logs offers, in days. */
const retentionDays = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653];

/** The units per second that a new table accepts. */
const ofNewTable = { maxReadUnits: 12_000, maxWriteUnits: 4000 } as const;

/**
 * The defaults by stage. In `prod`, 100 for each of four operations leave at least 500 of an account's 1,000 functions for
 * others.
 */
const byStage = {
  dev: { requestsPerSecond: 50, logDays: 14, callTimeConcurrency: 'shared', ...ofNewTable },
  staging: { requestsPerSecond: 50, logDays: 30, callTimeConcurrency: 'shared', ...ofNewTable },
  prod: { requestsPerSecond: 500, logDays: 180, callTimeConcurrency: 100, maxReadUnits: 'none', maxWriteUnits: 'none' },
} as const;

/** Every setting as CDK's context holds it, as text from the command line or from cdk.json. lib/README.md describes each. */
const settings = z.strictObject(
  {
    stage: z.enum(['dev', 'staging', 'prod'], mustBe('dev, staging or prod')),
    // Names of functions end at 64 characters.
    deployment: text(
      /^[a-z][a-z0-9-]{0,11}$/,
      'at most 12 lower-case letters, digits and hyphens, such as acme',
    ).optional(),
    appOrigin: list(
      (value) => isOrigin(value) && (value.startsWith('https://') || isLocal(value)),
      'the origin of your web application without a slash at its end, such as https://app.example.com, or several joined by commas',
    ),
    chat: z.enum(['off', 'key', 'public'], mustBe('off, key or public')).default('public'),
    chatModelId: text(
      /^(arn:aws[\w-]*:bedrock:[\w-]+:\d{0,12}:[\w-]+\/)?[\w.:-]+$/,
      'the id or ARN of a Bedrock model or inference profile',
    ).default('global.anthropic.claude-haiku-4-5-20251001-v1:0'),
    chatDailyTokens: whole().default(2_000_000),
    chatUserShare: whole(100).default(25),
    chatRatePerMinute: whole().default(30),
    chatConcurrency: concurrency().default(20),
    callTimeConcurrency: concurrency().optional(),
    deliveryConcurrency: whole(1000, 2).default(64),
    maxReadUnits: units(),
    maxWriteUnits: units(),
    requestsPerSecond: whole(10_000).optional(),
    callTimeRequestsPerSecond: whole(10_000).optional(),
    callRetentionDays: whole(3650).optional(),
    changeLogDays: whole(3650).default(400),
    lake: flag().default(false),
    lakeNumbers: z.enum(lakeNumbers, mustBe('hash, clear or none')).default('hash'),
    quotaAgents: whole().default(1000),
    quotaSources: whole().default(1000),
    quotaDailyWrites: whole().default(10_000_000),
    crawlTrustedOrigins: list(isOrigin, 'origins joined by commas, such as https://intranet.example.com').default([]),
    hookKeysInAddress: flag().default(true),
    mcpDeletes: flag().default(false),
    mcpOauth: flag().default(true),
    mcpRegistration: flag().default(true),
    webhookTrustedOrigins: list(isOrigin, 'origins joined by commas, such as https://crm.example.com:8443').default([]),
    alarmEmail: text(/^([^\s@]+@[^\s@]+\.[^\s@]+|none)$/, 'an e-mail address, or none').optional(),
    monthlyBudget: whole().optional(),
    edge: flag().default(true),
    edgeSecretVersion: whole().default(1),
    domainName: text(
      /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
      'a host name such as api.example.com',
    ).optional(),
    certificateArn: text(
      /^arn:aws[\w-]*:acm:us-east-1:\d{12}:certificate\/[\w-]+$/,
      'the ARN of a certificate in us-east-1, where CloudFront looks for it',
    ).optional(),
    webAclArn: text(
      /^arn:aws[\w-]*:wafv2:us-east-1:\d{12}:global\/webacl\/[\w-]+\/[\w-]+$/,
      'the ARN of a global web ACL, which is in us-east-1',
    ).optional(),
    allowedCountries: list(
      (value) => /^[A-Z]{2}$/.test(value),
      'country codes of two capital letters joined by commas, such as DE,FR',
    ).default([]),
    logDays: whole(3653)
      .refine((days) => retentionDays.includes(days), mustBe(`one of ${retentionDays.join(', ')}`))
      .optional(),
  },
  { error: (issue) => (issue.code === 'unrecognized_keys' ? unknownSettings(issue.keys as string[]) : undefined) },
);

const names: string[] = Object.keys(settings.shape);

const unknownSettings = (keys: string[]): string => {
  const known = keys.map((key) => names.find((name) => name.toLowerCase() === key.toLowerCase()));
  const meant = known.filter((name) => name !== undefined);
  const guess = meant.length > 0 ? ` Did you mean ${meant.join(', ')}?` : '';
  return `There is no setting ${keys.join(', ')}.${guess} The settings are: ${names.join(', ')}.`;
};

/** Returns a line for each setting: its name, the form of its value, and its default. */
export const describeSettings = (): string[] => {
  const width = Math.max(...names.map(({ length }) => length));
  return names.map((name) => {
    const schema = settings.shape[name as keyof typeof settings.shape];
    // The sentence about a wrong value says what the right ones are.
    const [{ message = '' } = {}] = schema.safeParse('?').error?.issues ?? [];
    const form = message.replace(/^must be /, '').replace(/, not .*$/s, '');
    return `  ${name.padEnd(width)}  ${form}${defaultValue(name)}`;
  });
};

const defaultValue = (name: string): string => {
  if (name === 'stage' || name === 'appOrigin') return ' (required)';
  const [dev, staging, prod] = [byStage.dev, byStage.staging, byStage.prod].map(
    (values: object) => Object(values)[name],
  );
  if (dev !== undefined)
    return dev === prod ? ` (default: ${dev})` : ` (default: ${dev}, in staging ${staging}, in prod ${prod})`;
  const { data } = settings.shape[name as keyof typeof settings.shape].safeParse(undefined);
  return data === undefined || String(data) === '' ? '' : ` (default: ${data})`;
};

type Given = z.output<typeof settings>;

/** Runs a check even when a setting is invalid by itself, so that all errors are reported together. */
const always = { when: () => true };

const checked = settings
  .refine(({ domainName, certificateArn }) => (domainName === undefined) === (certificateArn === undefined), {
    ...always,
    error: 'domainName and certificateArn belong together: give both or neither.',
  })
  .refine((given) => given.edge !== false || readEdgeSettings(given).length === 0, {
    ...always,
    error: ({ input }) => `${readEdgeSettings(input as Given).join(', ')} cannot be given with edge=false.`,
  })
  .refine(({ stage, alarmEmail }) => stage !== 'prod' || alarmEmail !== undefined, {
    ...always,
    path: ['alarmEmail'],
    error: 'is missing. In prod, alarms need a recipient; it may be none if something else subscribes to the topic.',
  })
  .refine(({ monthlyBudget, alarmEmail }) => monthlyBudget === undefined || alarmEmail?.includes('@'), {
    ...always,
    error: 'monthlyBudget needs an alarmEmail, which receives its messages.',
  })
  .transform(({ appOrigin, alarmEmail, domainName, certificateArn, requestsPerSecond, logDays, ...given }) => ({
    ...given,
    alarmEmail: alarmEmail === 'none' ? undefined : alarmEmail,
    /** The browser origins that may call the service. */
    appOrigins: appOrigin,
    requestsPerSecond: requestsPerSecond ?? byStage[given.stage].requestsPerSecond,
    callTimeRequestsPerSecond:
      given.callTimeRequestsPerSecond ?? requestsPerSecond ?? byStage[given.stage].requestsPerSecond,
    logDays: logDays ?? byStage[given.stage].logDays,
    callTimeConcurrency: given.callTimeConcurrency ?? byStage[given.stage].callTimeConcurrency,
    maxReadUnits: given.maxReadUnits ?? byStage[given.stage].maxReadUnits,
    maxWriteUnits: given.maxWriteUnits ?? byStage[given.stage].maxWriteUnits,
    domain: domainName && certificateArn ? { name: domainName, certificateArn } : undefined,
  }));

const readEdgeSettings = (given: Given) =>
  (['domainName', 'webAclArn', 'allowedCountries'] as const).filter((name) => given[name]?.length);

/** Everything an operator decides about a deployment. `given` contains the given settings as texts. */
export type Settings = z.output<typeof checked> & { given: Record<string, string> };

/** Returns the name of a deployment: that of its stack, and the beginning of the name of everything in it. */
export const deploymentName = ({ deployment, stage }: Pick<Settings, 'deployment' | 'stage'>) =>
  ['voice-agents', ...(deployment ? [deployment] : []), stage].join('-');

/** Thrown for settings that cannot be deployed, with one sentence for each error. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly errors: string[];

  constructor(errors: string[]) {
    super(`The settings are wrong:\n${errors.map((error) => `  - ${error}`).join('\n')}`);
    this.errors = errors;
  }
}

/**
 * Reads the settings from the file of the stage and from CDK's context (`--context name=value`), which wins. The file is
 * `settings/<stage>.json` or `settings/<deployment>-<stage>.json`, or the one that `--context settings=FILE` names. All
 * errors are reported together.
 */
export const readSettings = (allContext: Record<string, unknown>): Settings => {
  // CDK's own names contain a colon, a slash or a hyphen.
  const { settings: file, ...context } = Object.fromEntries(
    Object.entries(allContext).filter(([name]) => /^[A-Za-z]+$/.test(name)),
  );
  const given = { ...readFile(String(file ?? settingsFile(context)), file !== undefined), ...context };
  const texts = Object.entries(given).map(([name, value]) => [name, String(value ?? '')] as const);
  const { data, error } = checked.safeParse(Object.fromEntries(texts.filter(([, value]) => value !== '')));
  if (error) throw new SettingsError(error.issues.map(({ path, message }) => [...path, message].join(' ')));
  return { ...data, given: Object.fromEntries(texts) };
};

const settingsFile = ({ deployment, stage }: Record<string, unknown>) =>
  join(import.meta.dirname, '..', 'settings', `${deployment ? `${deployment}-` : ''}${stage}.json`);

const readFile = (file: string, isRequired: boolean): Record<string, unknown> => {
  if (!isRequired && !existsSync(file)) return {};
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const reason = error instanceof z.ZodError ? 'it must be an object of settings' : (error as Error).message;
    throw new SettingsError([`${file} cannot be read: ${reason}.`]);
  }
};
