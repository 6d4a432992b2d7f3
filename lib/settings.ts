import type { Node } from 'constructs';

/** Everything an operator decides about a deployment. */
export type Settings = {
  /** What this deployment is for. In `prod` the table and the files outlive the stacks. */
  stage: Stage;
  /** The one browser origin that may call the service. */
  appOrigin: string;
  /** A model or inference profile of Bedrock's, by its id or ARN. */
  chatModelId: string;
  /** What the chat may spend a day, in tokens, and one address a minute, in requests. */
  chatDailyTokens: number;
  chatRatePerMinute: number;
  /** How many chats may run at once. Without it they share the account's own bound with everything else. */
  chatConcurrency: number | undefined;
  /** What the API takes, over all callers; above it API Gateway answers 429. */
  requestsPerSecond: number;
  /** Origins that the crawler may read though they are not public. */
  crawlTrustedOrigins: string[];
  /** Who is told of alarms. */
  alarmEmail: string | undefined;
  /** Whether CloudFront stands in front, so that chat and API share one address. */
  edge: boolean;
  domain: { name: string; certificateArn: string } | undefined;
  webAclArn: string | undefined;
  /** The countries that may call (ISO 3166); none named means all. */
  allowedCountries: string[];
  logDays: number;
};

export type Stage = 'dev' | 'staging' | 'prod';

/** The name of a deployment: its stack, and the beginning of the name of everything in it. */
export const deploymentName = ({ stage }: Pick<Settings, 'stage'>) => `voice-agents-${stage}`;

const byStage = {
  dev: { requestsPerSecond: 50, logDays: 14 },
  staging: { requestsPerSecond: 50, logDays: 30 },
  prod: { requestsPerSecond: 500, logDays: 180 },
};

/** What CloudWatch Logs can be told to keep, in days. */
const logDaysAllowed = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653];

const names = [
  'stage',
  'appOrigin',
  'chatModelId',
  'chatDailyTokens',
  'chatRatePerMinute',
  'chatConcurrency',
  'requestsPerSecond',
  'crawlTrustedOrigins',
  'alarmEmail',
  'edge',
  'domainName',
  'certificateArn',
  'webAclArn',
  'allowedCountries',
  'logDays',
] as const;
type Name = (typeof names)[number];

/** Settings that cannot be deployed: one sentence for each mistake. */
export class SettingsError extends Error {
  override readonly name = 'WrongSettings';
  readonly mistakes: string[];

  constructor(mistakes: string[]) {
    super(`The settings are wrong:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`);
    this.mistakes = mistakes;
  }
}

/** Reads the settings from CDK's context (`--context name=value`, or `context` in cdk.json), and checks them all. */
export const readSettings = (node: Node): Settings => {
  const mistakes: string[] = [];
  const given = (name: Name): string | undefined => {
    const value: unknown = node.tryGetContext(name) ?? '';
    return (Array.isArray(value) ? value.join(',') : String(value)) || undefined;
  };
  const refuse = (name: Name, form: string) => {
    mistakes.push(`${name} must be ${form}, and is ${JSON.stringify(given(name))}.`);
  };
  const matching = (name: Name, pattern: RegExp, form: string): string | undefined => {
    const value = given(name);
    if (value !== undefined && !pattern.test(value)) refuse(name, form);
    return value;
  };
  const whole = (name: Name, fallback: number, most = 1e9): number => {
    const value = Number(given(name) ?? fallback);
    if (!Number.isInteger(value) || value < 1 || value > most) {
      refuse(name, `a whole number from 1 to ${most.toLocaleString('en')}`);
    }
    return value;
  };
  const list = (name: Name) => given(name)?.split(',') ?? [];

  for (const name of strangersIn(node)) {
    const meant = names.find((known) => known.toLowerCase() === name.toLowerCase());
    mistakes.push(`There is no setting ${name}${meant ? `: ${meant} is meant` : ''}. There are: ${names.join(', ')}.`);
  }

  const stage = given('stage') as Stage | undefined;
  if (!stage) mistakes.push('stage is missing: say --context stage=dev, staging or prod.');
  else if (!(stage in byStage)) refuse('stage', 'dev, staging or prod');

  const appOrigin = given('appOrigin');
  if (!appOrigin) {
    mistakes.push(
      'appOrigin is missing: say --context appOrigin=https://app.example.com, where your web application is.',
    );
  } else if (!isOrigin(appOrigin) || !(appOrigin.startsWith('https://') || isThisMachine(appOrigin))) {
    refuse(
      'appOrigin',
      'an origin as a browser spells it, such as https://app.example.com, without a slash at its end',
    );
  }

  const edge = given('edge') ?? 'true';
  if (edge !== 'true' && edge !== 'false') refuse('edge', 'true or false');

  const domainName = matching(
    'domainName',
    /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    'a host name such as api.example.com',
  );
  const certificateArn = matching(
    'certificateArn',
    /^arn:aws[\w-]*:acm:us-east-1:\d{12}:certificate\/[\w-]+$/,
    'the ARN of a certificate in us-east-1, where CloudFront looks for it',
  );
  const webAclArn = matching(
    'webAclArn',
    /^arn:aws[\w-]*:wafv2:us-east-1:\d{12}:global\/webacl\/[\w-]+\/[\w-]+$/,
    'the ARN of a global web ACL, which lies in us-east-1',
  );
  if ((domainName === undefined) !== (certificateArn === undefined)) {
    mistakes.push('domainName and certificateArn go together: give both or neither.');
  }
  if (edge === 'false') {
    for (const name of ['domainName', 'webAclArn', 'allowedCountries'] as const) {
      if (given(name)) mistakes.push(`${name} belongs to the edge: it cannot be given with edge=false.`);
    }
  }

  const allowedCountries = list('allowedCountries');
  if (allowedCountries.some((country) => !/^[A-Z]{2}$/.test(country))) {
    refuse('allowedCountries', 'country codes of two capitals, such as DE,FR');
  }
  const crawlTrustedOrigins = list('crawlTrustedOrigins');
  if (crawlTrustedOrigins.some((origin) => !isOrigin(origin))) {
    refuse('crawlTrustedOrigins', 'origins joined by commas, such as https://intranet.example.com');
  }

  const defaults = byStage[stage ?? 'dev'] ?? byStage.dev;
  const logDays = whole('logDays', defaults.logDays, 3653);
  if (!logDaysAllowed.includes(logDays)) refuse('logDays', `one of ${logDaysAllowed.join(', ')}`);

  const settings: Settings = {
    stage: stage as Stage,
    appOrigin: appOrigin as string,
    chatModelId:
      matching(
        'chatModelId',
        /^(arn:aws[\w-]*:bedrock:[\w-]+:\d{0,12}:[\w-]+\/)?[\w.:-]+$/,
        'the id or the ARN of a model or inference profile of Bedrock’s',
      ) ?? 'global.anthropic.claude-haiku-4-5-20251001-v1:0',
    chatDailyTokens: whole('chatDailyTokens', 2_000_000),
    chatRatePerMinute: whole('chatRatePerMinute', 30),
    chatConcurrency: given('chatConcurrency') === 'shared' ? undefined : whole('chatConcurrency', 20, 1000),
    requestsPerSecond: whole('requestsPerSecond', defaults.requestsPerSecond, 10_000),
    crawlTrustedOrigins,
    alarmEmail: matching('alarmEmail', /^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'an e-mail address'),
    edge: edge === 'true',
    domain: domainName && certificateArn ? { name: domainName, certificateArn } : undefined,
    webAclArn,
    allowedCountries,
    logDays,
  };
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return settings;
};

/** Names in the context that look like settings and are none. CDK's own hold a colon, a slash or a hyphen. */
const strangersIn = (node: Node) =>
  Object.keys(node.getAllContext()).filter(
    (name) => /^[A-Za-z]+$/.test(name) && !(names as readonly string[]).includes(name),
  );

const isOrigin = (text: string) => URL.parse(text)?.origin === text;
const isThisMachine = (origin: string) => /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/.test(origin);
