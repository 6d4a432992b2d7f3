/** The header in which CloudFront sends its secret. A viewer cannot set it: CloudFront replaces it. */
export const edgeSecretHeader = 'x-origin-secret';

/** The settings of the service. This is the only file that reads the environment; each setting is checked when it is first used. */
export const environment = {
  /** Whether this is a function on Lambda, which sets the name of each. */
  get isLambda() {
    return process.env.AWS_LAMBDA_FUNCTION_NAME !== undefined;
  },
  get tableName() {
    return required('TABLE_NAME');
  },
  /** The timeout of a call to the table, retries included. The local run allows more: a busy machine's database is slower than AWS's. */
  get tableTimeoutSeconds() {
    return whole('TABLE_TIMEOUT_SECONDS', 5);
  },
  /** The queue of background work. On AWS every job has its own: `{job}` stands for the job's name in their address. */
  get jobsQueueUrl() {
    return url('JOBS_QUEUE_URL');
  },
  /** The bucket that keeps uploaded files. */
  get filesBucket() {
    return required('FILES_BUCKET');
  },
  /** How S3 is called; an endpoint is given where it is another S3 than AWS's. */
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
   * The header in which a front that all requests come through tells the caller's address, in lower case: with
   * CloudFront `cloudfront-viewer-address`. Unset, the connection's own address counts, and nobody can choose theirs.
   */
  get clientAddressHeader() {
    return process.env.CLIENT_ADDRESS_HEADER || undefined;
  },
  /** The secrets by which CloudFront is known: the current one, and the one before while a deployment changes it. Unset, anyone may call. */
  get edgeSecrets(): readonly string[] {
    return (process.env.EDGE_SECRETS ?? '').split(',').filter(Boolean);
  },
  /** The address at which the service's own operations are called: the API behind CloudFront. */
  get apiUrl() {
    return origin('API_URL');
  },
  /** Whether AI clients may delete. */
  get mcpDeletes() {
    return flag('MCP_DELETES');
  },
  /** The model of the build chat, as Bedrock names it: a model, or an inference profile. */
  get chatModelId() {
    return required('CHAT_MODEL_ID');
  },
  /** What the build chat signs with whatever comes back to it with the conversation. */
  get chatSigningSecret() {
    return secret('CHAT_SIGNING_SECRET', 'CHAT_SIGNING_SECRET_ARN');
  },
  /** The key of the hashes that erasures leave of people's numbers. */
  get erasureSecret() {
    return secret('ERASURE_SECRET', 'ERASURE_SECRET_ARN');
  },
  /** Tokens, read and written, that the build chat may spend between two midnights in UTC. */
  get chatDailyTokens() {
    return whole('CHAT_DAILY_TOKENS', 2_000_000);
  },
  /** Turns of the build chat that one address may have in a minute. */
  get chatRatePerMinute() {
    return whole('CHAT_RATE_PER_MINUTE', 30);
  },
  /** For how many days after their start calls are kept. Unset, they are kept until they are deleted. */
  get callRetentionDays() {
    const days = whole('CALL_RETENTION_DAYS', 0);
    if (process.env.CALL_RETENTION_DAYS && (days < 1 || days > maxRetentionDays))
      throw wrong('CALL_RETENTION_DAYS', process.env.CALL_RETENTION_DAYS, `from 1 to ${maxRetentionDays}`);
    return days || undefined;
  },
  /** Agents that a user may own. */
  get quotaAgents() {
    return whole('QUOTA_AGENTS', 1000);
  },
  /** Websites and documents that an agent may have. */
  get quotaSources() {
    return whole('QUOTA_SOURCES', 1000);
  },
  /** Origins that the crawler may read though their address or port is not public, such as an intranet site. */
  get crawlTrustedOrigins() {
    return origins('CRAWL_TRUSTED_ORIGINS');
  },
  /** What encrypts the secrets of webhook endpoints. */
  get webhookEncryptionKey() {
    return secret('WEBHOOK_ENCRYPTION_KEY', 'WEBHOOK_ENCRYPTION_KEY_ARN');
  },
  /** Origins that webhooks may be sent to though their scheme, address or port is not allowed otherwise. */
  get webhookTrustedOrigins() {
    return origins('WEBHOOK_TRUSTED_ORIGINS');
  },
  get stripeSecret() {
    return secret('STRIPE_SECRET_KEY', 'STRIPE_SECRET_ARN');
  },
  /** The address of Stripe, or of a fake. */
  get stripeApiBase() {
    return origin('STRIPE_API_BASE', 'https://api.stripe.com');
  },
  /** What signs a call to AWS that no SDK makes: the credentials that Lambda gives a function. */
  get awsCredentials() {
    return {
      region: required('AWS_REGION'),
      accessKeyId: required('AWS_ACCESS_KEY_ID'),
      secretAccessKey: required('AWS_SECRET_ACCESS_KEY'),
      sessionToken: process.env.AWS_SESSION_TOKEN,
    };
  },
  get secretsManagerEndpoint() {
    const name = process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER ? 'AWS_ENDPOINT_URL_SECRETS_MANAGER' : 'AWS_ENDPOINT_URL';
    return process.env[name] ? url(name) : `https://secretsmanager.${required('AWS_REGION')}.amazonaws.com`;
  },
};

const maxRetentionDays = 3650;

/** A secret: itself, as on one machine, or the ARN under which Secrets Manager keeps it. */
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

const whole = (name: string, otherwise: number) => {
  const value = process.env[name];
  if (!value) return otherwise;
  if (!/^\d{1,15}$/.test(value)) throw wrong(name, value, 'a whole number');
  return Number(value);
};

const flag = (name: string) => {
  const value = process.env[name] || 'false';
  if (value !== 'true' && value !== 'false') throw wrong(name, value, 'true or false');
  return value === 'true';
};

const url = (name: string) => {
  const value = required(name);
  if (!URL.canParse(value)) throw wrong(name, value, 'an address');
  return value;
};

const origin = (name: string, otherwise?: string) =>
  checkedOrigin(name, otherwise === undefined ? required(name) : process.env[name] || otherwise);

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
