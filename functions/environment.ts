/** The header in which CloudFront sends its secret. A viewer cannot set it: CloudFront replaces it. */
export const edgeSecretHeader = 'x-origin-secret';

/** The settings of the service. No other file reads the environment. Each setting is checked when it is used. */
export const environment = {
  /** Is true on Lambda, which sets the name of a function. */
  get isLambda() {
    return process.env.AWS_LAMBDA_FUNCTION_NAME !== undefined;
  },
  /** The namespace of the metrics in log lines: the name of the deployment. */
  get metricNamespace() {
    return process.env.METRIC_NAMESPACE || 'voice-agents';
  },
  get tableName() {
    return required('TABLE_NAME');
  },
  /** The timeout of a call to the table, retries included. A local run allows more: its database is slower than AWS's. */
  get tableTimeoutSeconds() {
    return whole('TABLE_TIMEOUT_SECONDS', 5);
  },
  /**
   * The time for which a call that the table throttles is repeated. A request fails fast, so that an overloaded agent does not hold the
   * functions of others; a job waits.
   */
  get throttledMilliseconds() {
    return whole('TABLE_THROTTLED_MILLISECONDS', 50);
  },
  /** The address of the jobs' queues. On AWS, every job has its own queue, and `{job}` is replaced by the job's name. */
  get jobsQueueUrl() {
    return url('JOBS_QUEUE_URL');
  },
  /** The bucket with uploaded files. */
  get filesBucket() {
    return required('FILES_BUCKET');
  },
  /** The region and credentials of S3, and the endpoint of one that is not AWS's. */
  get s3() {
    const endpoint = process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL;
    return { endpoint: endpoint?.replace(/\/$/, ''), ...this.awsCredentials };
  },
  /** The browser origins that may call the service, as browsers spell them, separated by commas: `https://app.example.com`. */
  get appOrigins(): readonly string[] {
    return required('APP_ORIGIN')
      .split(',')
      .map((value) => checkedOrigin('APP_ORIGIN', value.trim()));
  },
  /**
   * Lower-case header in which a trusted proxy (CloudFront: `cloudfront-viewer-address`) passes the client address. Unset:
   * the connection's address.
   */
  get clientAddressHeader() {
    return process.env.CLIENT_ADDRESS_HEADER || undefined;
  },
  /** The secrets that CloudFront sends: the current one, and the former one while a deployment changes it. Unset: anyone may call. */
  get edgeSecrets(): readonly string[] {
    return (process.env.EDGE_SECRETS ?? '').split(',').filter(Boolean);
  },
  /** The secrets by which the service knows its own requests with a caller's key: that of their own, or those of CloudFront. */
  get callerMarkSecrets(): readonly string[] {
    const own = process.env.CALLER_MARK_SECRET;
    return own ? [own] : this.edgeSecrets;
  },
  /** The address at which the service's own operations are called: the API behind CloudFront. */
  get apiUrl() {
    return origin('API_URL');
  },
  /** The public address of the deployment, which voice platforms sign. */
  get publicUrl() {
    return origin('PUBLIC_URL');
  },
  /** Allows voice platforms to send their key in the query. */
  get hookKeysInAddress() {
    return flag('HOOK_KEYS_IN_ADDRESS', true);
  },
  /** Allows AI clients to delete. */
  get mcpDeletes() {
    return flag('MCP_DELETES');
  },
  /** Lets people connect AI clients by OAuth, with an API key as the login. */
  get mcpOauth() {
    return flag('MCP_OAUTH', true);
  },
  /** Lets AI clients register that have no document of their own. */
  get mcpRegistration() {
    return flag('MCP_REGISTRATION', true);
  },
  /** The id of the build chat's model or inference profile on Bedrock. */
  get chatModelId() {
    return required('CHAT_MODEL_ID');
  },
  /** The permitted users of the build chat: callers with an API key, or anyone. */
  get chatAccess(): 'key' | 'public' {
    const access = process.env.CHAT_ACCESS || 'public';
    if (access !== 'key' && access !== 'public') throw wrong('CHAT_ACCESS', access, 'key or public');
    return access;
  },
  /** The secret that signs tool results and approvals of the build chat, which clients send back. */
  get chatSigningSecret() {
    return secret('CHAT_SIGNING_SECRET', 'CHAT_SIGNING_SECRET_ARN');
  },
  /** The key of the hashes that erasures leave of people's numbers. */
  get erasureSecret() {
    return secret('ERASURE_SECRET', 'ERASURE_SECRET_ARN');
  },
  /** The build chat's tokens per day (UTC), input and output. */
  get chatDailyTokens() {
    return whole('CHAT_DAILY_TOKENS', 2_000_000);
  },
  /** The maximum share, in percent, of the build chat's tokens of a day for one user. */
  get chatUserShare() {
    const percent = whole('CHAT_USER_SHARE', 25);
    if (percent > 100) throw wrong('CHAT_USER_SHARE', String(percent), 'from 0 to 100');
    return percent;
  },
  /** The build chat's requests per minute from one address. */
  get chatRatePerMinute() {
    return whole('CHAT_RATE_PER_MINUTE', 30);
  },
  /** The number of days for which calls are kept after their start. Unset: until they are deleted. */
  get callRetentionDays() {
    const name = 'CALL_RETENTION_DAYS';
    return process.env[name] ? days(name, 1) : undefined;
  },
  /** Writes the calls of each day to a file for SQL. */
  get lake() {
    return flag('LAKE');
  },
  /** What the lake has in the place of phone numbers: keyed hashes, the numbers, or nothing. */
  get lakeNumbers(): 'hash' | 'clear' | 'none' {
    const value = process.env.LAKE_NUMBERS || 'hash';
    if (value !== 'hash' && value !== 'clear' && value !== 'none')
      throw wrong('LAKE_NUMBERS', value, 'hash, clear or none');
    return value;
  },
  /** The maximum number of calls of a file of an export. Unset: as many as there may be. */
  get callExportFileCalls() {
    const name = 'CALL_EXPORT_FILE_CALLS';
    if (!process.env[name]) return undefined;
    const calls = whole(name, 1);
    if (calls === 0) throw wrong(name, '0', 'a whole number from 1');
    return calls;
  },
  /** The number of days for which the log of changes is kept. */
  get changeLogDays() {
    return days('CHANGE_LOG_DAYS', 400);
  },
  /** The maximum number of agents that a user owns. */
  get quotaAgents() {
    return whole('QUOTA_AGENTS', 1000);
  },
  /** The maximum number of websites and documents of an agent. */
  get quotaSources() {
    return whole('QUOTA_SOURCES', 1000);
  },
  /** The maximum of numbers that imports and copies of a user write in a day. */
  get quotaDailyWrites() {
    return whole('QUOTA_DAILY_WRITES', 10_000_000);
  },
  /** Origins that the crawler may read although their address or port is not public, such as an intranet site. */
  get crawlTrustedOrigins() {
    return origins('CRAWL_TRUSTED_ORIGINS');
  },
  /** The key that encrypts the secrets of webhook endpoints and of voice platforms. */
  get webhookEncryptionKey() {
    return secret('WEBHOOK_ENCRYPTION_KEY', 'WEBHOOK_ENCRYPTION_KEY_ARN');
  },
  /** Origins that webhooks may be sent to although their scheme, address or port is not public. */
  get webhookTrustedOrigins() {
    return origins('WEBHOOK_TRUSTED_ORIGINS');
  },
  /** The origins of the voice platforms' APIs, whose lists of calls are read. */
  get platformApiBases() {
    return {
      vapi: origin('VAPI_API_BASE', 'https://api.vapi.ai'),
      retell: origin('RETELL_API_BASE', 'https://api.retellai.com'),
      elevenlabs: origin('ELEVENLABS_API_BASE', 'https://api.elevenlabs.io'),
      twilio: origin('TWILIO_API_BASE', 'https://api.twilio.com'),
      telnyx: origin('TELNYX_API_BASE', 'https://api.telnyx.com'),
    };
  },
  get stripeSecret() {
    return secret('STRIPE_SECRET_KEY', 'STRIPE_SECRET_ARN');
  },
  /** The address of Stripe, or of a fake. */
  get stripeApiBase() {
    return origin('STRIPE_API_BASE', 'https://api.stripe.com');
  },
  /** The credentials of the function, for requests to AWS that are signed without the SDK. */
  get awsCredentials() {
    return {
      region: required('AWS_REGION'),
      accessKeyId: required('AWS_ACCESS_KEY_ID'),
      secretAccessKey: required('AWS_SECRET_ACCESS_KEY'),
      sessionToken: process.env.AWS_SESSION_TOKEN,
    };
  },
  get sqsEndpoint() {
    const given = process.env.AWS_ENDPOINT_URL_SQS ?? process.env.AWS_ENDPOINT_URL;
    const region = required('AWS_REGION');
    const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    return given?.replace(/\/$/, '') ?? `https://sqs.${region}.${suffix}`;
  },
  get secretsManagerEndpoint() {
    const name = process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER ? 'AWS_ENDPOINT_URL_SECRETS_MANAGER' : 'AWS_ENDPOINT_URL';
    return process.env[name] ? url(name) : `https://secretsmanager.${required('AWS_REGION')}.amazonaws.com`;
  },
};

/** A secret: its value, as in a local run, or its ARN in Secrets Manager. */
export type SecretSource = { value: string } | { arn: string };

const secret = (valueName: string, arnName: string): SecretSource => {
  const value = process.env[valueName];
  if (value) return { value };
  const arn = process.env[arnName];
  if (arn) return { arn };
  throw new Error(`Neither of the settings ${valueName} and ${arnName} is in the environment.`);
};

const required = (name: string) => {
  const value = process.env[name];
  if (!value) throw new Error(`The setting ${name} is missing from the environment.`);
  return value;
};

const whole = (name: string, fallback: number) => {
  const value = process.env[name];
  if (!value) return fallback;
  if (!/^\d{1,15}$/.test(value)) throw wrong(name, value, 'a whole number from 0');
  return Number(value);
};

const days = (name: string, fallback: number) => {
  const value = whole(name, fallback);
  if (value < 1 || value > maxDays) throw wrong(name, String(value), `from 1 to ${maxDays}`);
  return value;
};
const maxDays = 3650;

const flag = (name: string, fallback = false) => {
  const value = process.env[name] || String(fallback);
  if (value !== 'true' && value !== 'false') throw wrong(name, value, 'true or false');
  return value === 'true';
};

const url = (name: string) => {
  const value = required(name);
  if (!URL.canParse(value)) throw wrong(name, value, 'an address');
  return value;
};

const origin = (name: string, fallback?: string) =>
  checkedOrigin(name, fallback === undefined ? required(name) : process.env[name] || fallback);

const origins = (name: string): ReadonlySet<string> => {
  const given = (process.env[name] ?? '').split(',').map((value) => value.trim());
  return new Set(given.filter(Boolean).map((value) => checkedOrigin(name, value)));
};

const checkedOrigin = (name: string, value: string) => {
  if (URL.parse(value)?.origin !== value) throw wrong(name, value, 'an origin such as https://app.example.com');
  return value;
};

const wrong = (name: string, value: string, form: string) =>
  new Error(`The setting ${name} must be ${form}, and is ${JSON.stringify(value)}.`);
