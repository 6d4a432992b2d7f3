import { Aws, type CfnResource, Duration, Names, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { type IFilterPattern, LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { importsFolder } from '../functions/domain/block-list-imports.ts';
import { filesFolder } from '../functions/domain/documents.ts';
import { exportsFolder } from '../functions/domain/exports.ts';
import type { JobName } from '../functions/domain/job-messages.ts';
import { lakeFolder } from '../functions/domain/lake.ts';
import { abandonedFolder, parkedFolder } from '../functions/domain/parked-changes.ts';
import { toKebabCase } from '../functions/domain/text.ts';
import type { Permission, SecretName } from '../functions/service.ts';
import { formatKey, guardedKeys, requestCountsPrefix } from '../functions/store/keys.ts';
import { bundlePath, pagesBundlePath, pagesFunction } from './bundles.ts';
import { type DataStack, secretReference } from './data-stack.ts';
import { suppress } from './nag-suppressions.ts';
import { deploymentName, type Settings } from './settings.ts';

export type ServiceFunctionProps = {
  /** The name of the endpoint or the job. */
  name: string;
  permissions: Permission[];
  /** The services that it uses, if one of them has a setting. */
  services?: object;
  /** A pattern of partition keys that limits the items it may read and write. Default: all that its permissions allow. */
  tableKeys?: string;
  /** The address of the API, for functions that call the service's own operations. */
  apiUrl?: string;
  /** The address of the deployment, for functions that verify signatures over it. */
  publicUrl?: string;
  /** It is of the server of AI clients, or of their sign-in. */
  namesPublicUrl?: true;
  /** It reads the address of the caller, which CloudFront sends. */
  limitsAddresses?: true;
  /** True if it receives requests, which come from CloudFront in a deployment with the edge. */
  servesHttp?: true;
  timeoutSeconds: number;
  memoryMegabytes: number;
  reservedConcurrency?: number;
  /** The queue whose messages it receives. */
  queue?: Queue;
  /** True if it reads the table's stream. */
  readsChanges?: true;
};

/**
 * The function of an endpoint or a job: its bundle, its log group, and a role of its own. Grants and environment follow from its
 * permissions.
 */
export class ServiceFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly logGroup: LogGroup;
  readonly #settings: Settings;

  constructor(scope: Construct, data: DataStack, settings: Settings, props: ServiceFunctionProps) {
    super(scope, props.name);
    this.#settings = settings;
    const { name, queue, readsChanges } = props;
    const functionName = deployedFunctionName(settings, name);
    this.logGroup = new LogGroup(this, 'Log', {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: settings.logDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `The permissions of ${functionName}.`,
      inlinePolicies: {
        permissions: new PolicyDocument({
          statements: [
            allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [this.logGroup.logGroupArn]),
            allow(['xray:PutTelemetryRecords', 'xray:PutTraceSegments'], ['*']),
            ...buildGrants(props, data, settings),
            ...(queue ? [allow(receiveActions, [queue.queueArn])] : []),
            ...(readsChanges ? changeGrants(data) : []),
          ],
        }),
      },
    });
    suppress(role, 'wildcards', ['Resource::*', ...grantWildcards(data, settings)]);
    this.lambda = new LambdaFunction(this, 'Function', {
      functionName,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      // Tests of the templates need no bundles.
      code: Stack.of(this).bundlingRequired ? Code.fromAsset(codeFolder(name, settings)) : Code.fromInline('unbundled'),
      handler: 'index.handler',
      timeout: Duration.seconds(props.timeoutSeconds),
      memorySize: props.memoryMegabytes,
      reservedConcurrentExecutions: props.reservedConcurrency,
      environment: buildEnvironment(props, data, settings),
      role: role.withoutPolicyUpdates(),
      logGroup: this.logGroup,
      loggingFormat: LoggingFormat.JSON,
      // The function itself logs one line per request. Lambda's two lines would triple the stored volume.
      systemLogLevelV2: SystemLogLevel.WARN,
      tracing: Tracing.ACTIVE,
    });
    suppress(this.lambda, 'deadLetters');
  }

  /** Counts the lines of the log that match a pattern. Without a default value, CloudWatch charges only for hours with such lines. */
  countLines(metricName: string, filterPattern: IFilterPattern, metricValue?: string): Metric {
    return new MetricFilter(this, metricName, {
      logGroup: this.logGroup,
      filterPattern,
      metricNamespace: deploymentName(this.#settings),
      metricName,
      metricValue,
    }).metric({ statistic: Stats.SUM });
  }
}

/** Returns the folder of a function's code. */
const codeFolder = (name: string, { chat }: Settings) =>
  name === pagesFunction ? pagesBundlePath({ hasChat: chat !== 'off' }) : bundlePath(name);

/** Returns the reserved concurrency of a setting; undefined when the function shares the account's concurrency. */
export const reservedConcurrency = (setting: number | 'shared') => (setting === 'shared' ? undefined : setting);

/** The header in which CloudFront sends the caller's address to the chat. */
export const viewerAddressHeader = 'x-viewer-address';

/** The actions that Lambda performs with the function's role to deliver messages of a queue. The function itself performs the first. */
const receiveActions = [
  'sqs:ChangeMessageVisibility',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
  'sqs:ReceiveMessage',
];

/** Returns the statements that Lambda needs, in the function's role, to deliver the changes of the table and to keep those it gives up. */
const changeGrants = ({ table, files }: DataStack) => {
  const actions = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];
  return [
    allow(
      actions.map((action) => `dynamodb:${action}`),
      [table.tableStreamArn as string],
    ),
    allow(['s3:PutObject'], [files.arnForObjects(`${abandonedFolder}*`)]),
    allow([listBucket], [files.bucketArn]),
  ];
};

/** Returns the name of a function on AWS: `voice-agents-dev-add-blocked-numbers`. */
export const deployedFunctionName = (settings: Settings, name: string) =>
  `${deploymentName(settings)}-${toKebabCase(name)}`;

/** The action on the bucket itself without which S3 responds 403 for a missing file. */
const listBucket = 's3:ListBucket' satisfies Permission;

/** Returns the wildcards in grants as cdk-nag spells them: with the parameter that holds the bucket's ARN. */
const grantWildcards = (data: DataStack, settings: Settings) => {
  const part = Names.nodeUniqueId((data.nestedStackResource as CfnResource).node);
  const bucket = Names.nodeUniqueId((data.files.node.defaultChild as CfnResource).node);
  const models = modelArns(settings.chatModelId)
    .filter((arn) => arn.includes(':*:'))
    .map((arn) => arn.replace(Aws.PARTITION, '<AWS::Partition>'));
  const folders = [filesFolder, ...Object.values(separateFolders), abandonedFolder].map(
    (folder) => `<referenceto${part}Outputs${bucket}Arn>/${folder}*`,
  );
  return [...folders, ...models].map((arn) => `Resource::${arn}`);
};

/** Returns the IAM statements of a function's permissions: the actions of each service on the deployment's own resource. */
const buildGrants = (
  { permissions, tableKeys }: ServiceFunctionProps,
  data: DataStack,
  settings: Settings,
): PolicyStatement[] => {
  const actions = (service: string) => permissions.filter((permission) => permission.startsWith(`${service}:`)).sort();
  const objectActions = actions('s3').filter((action) => action !== listBucket);
  const queues = permittedNames(permissions, sendMessage).map((job) => data.getQueue(job as JobName).queueArn);
  const secrets = permittedNames(permissions, getSecret).map((secret) => data.secrets[secret as SecretName].attrId);
  const tableActions = actions('dynamodb').filter((action) => action.split(':').length === 2);
  return [
    allow(tableActions, [data.table.tableArn], tableKeys ? onlyKeys(tableKeys) : {}),
    // Every function that uses the table first checks its format.
    allow(tableActions.length > 0 ? ['dynamodb:GetItem'] : [], [data.table.tableArn], onlyKeys(formatKey.pk)),
    allow(withSuffix(actions('dynamodb'), 'requests'), [data.table.tableArn], onlyKeys(`${requestCountsPrefix}*`)),
    ...denyGuardedKeys(actions('dynamodb'), data),
    allow(withSuffix(actions('dynamodb'), 'parked'), [data.table.tableArn], onlyKeys(guardedKeys.parked)),
    allow(
      objectActions.filter((action) => action.split(':').length === 2),
      [data.files.arnForObjects(`${filesFolder}*`)],
    ),
    ...Object.entries(separateFolders).map(([name, folder]) =>
      allow(withSuffix(objectActions, name), [data.files.arnForObjects(`${folder}*`)]),
    ),
    allow(permissions.includes(listBucket) ? [listBucket] : [], [data.files.bucketArn]),
    allow(actions('bedrock'), modelArns(settings.chatModelId)),
    allow(queues.length > 0 ? [sendMessage] : [], queues),
    allow(secrets.length > 0 ? [getSecret] : [], secrets),
  ].filter((statement) => statement.actions.length > 0);
};

/** The folders of the bucket that permissions name by a suffix. */
const separateFolders = { imports: importsFolder, exports: exportsFolder, lake: lakeFolder, parked: parkedFolder };
/** Returns the actions of permissions with a suffix. */
const withSuffix = (actions: string[], name: string): string[] =>
  actions.filter((action) => action.endsWith(`:${name}`)).map((action) => action.slice(0, -name.length - 1));
const sendMessage = 'sqs:SendMessage';
const getSecret = 'secretsmanager:GetSecretValue';

/** Returns the queues or secrets that permissions name after an action. */
const permittedNames = (permissions: Permission[], action: string): string[] =>
  permissions.filter((one) => one.startsWith(`${action}:`)).map((one) => one.slice(action.length + 1));

/** Returns the environment of a function, from its permissions and services. Its only secret value is the one that CloudFront sends. */
const buildEnvironment = (
  {
    name,
    permissions,
    services = {},
    apiUrl,
    publicUrl,
    servesHttp,
    namesPublicUrl,
    limitsAddresses,
  }: ServiceFunctionProps,
  data: DataStack,
  settings: Settings,
): Record<string, string> => {
  const has = (prefix: string) => permissions.some((permission) => permission.startsWith(prefix));
  const usesTable = has('dynamodb:');
  const usesModel = has('bedrock:');
  const callsService = servesHttp || 'ownApi' in services;
  const variables: Record<string, string | false | undefined> = {
    APP_ORIGIN: settings.appOrigins.join(','),
    EDGE_SECRETS: callsService && data.edgeSecrets.length > 0 && data.edgeSecrets.map(secretReference).join(','),
    CALLER_MARK_SECRET: callsService && data.callerMarkSecret && secretReference(data.callerMarkSecret),
    METRIC_NAMESPACE: servesHttp && deploymentName(settings),
    TABLE_NAME: usesTable && data.table.tableName,
    // Requests use the default, which fails fast.
    TABLE_THROTTLED_MILLISECONDS: usesTable && !servesHttp && '20000',
    QUOTA_AGENTS: usesTable && String(settings.quotaAgents),
    QUOTA_SOURCES: usesTable && String(settings.quotaSources),
    QUOTA_DAILY_WRITES: usesTable && String(settings.quotaDailyWrites),
    CHANGE_LOG_DAYS: usesTable && 'changeLog' in services && String(settings.changeLogDays),
    LAKE: ('lakeDays' in services || 'lakeFiles' in services) && String(settings.lake),
    LAKE_NUMBERS: 'lakeFiles' in services && settings.lakeNumbers,
    CALL_RETENTION_DAYS: usesTable && settings.callRetentionDays?.toString(),
    // The pages upload files to the bucket by presigned forms.
    FILES_BUCKET: (has('s3:') || name === pagesFunction) && data.files.bucketName,
    JOBS_QUEUE_URL: has(sendMessage) && data.queueUrl,
    STRIPE_SECRET_ARN: has(`${getSecret}:stripe`) && data.secrets.stripe.attrId,
    CHAT_SIGNING_SECRET_ARN: has(`${getSecret}:chatSigning`) && data.secrets.chatSigning.attrId,
    ERASURE_SECRET_ARN: has(`${getSecret}:erasure`) && data.secrets.erasure.attrId,
    CHAT_ACCESS: usesModel && settings.chat,
    CHAT_MODEL_ID: usesModel && settings.chatModelId,
    CHAT_DAILY_TOKENS: usesModel && String(settings.chatDailyTokens),
    CHAT_USER_SHARE: usesModel && String(settings.chatUserShare),
    CHAT_RATE_PER_MINUTE: usesModel && String(settings.chatRatePerMinute),
    CLIENT_ADDRESS_HEADER: (usesModel || limitsAddresses) && settings.edge && viewerAddressHeader,
    API_URL: 'ownApi' in services && apiUrl,
    PUBLIC_URL: publicUrl,
    HOOK_KEYS_IN_ADDRESS: publicUrl !== undefined && !namesPublicUrl && String(settings.hookKeysInAddress),
    MCP_DELETES: 'mcpTools' in services && String(settings.mcpDeletes),
    MCP_OAUTH: namesPublicUrl && String(settings.mcpOauth),
    MCP_REGISTRATION: namesPublicUrl && String(settings.mcpRegistration),
    WEBHOOK_ENCRYPTION_KEY_ARN: has(`${getSecret}:webhookEncryption`) && data.secrets.webhookEncryption.attrId,
    WEBHOOK_TRUSTED_ORIGINS:
      ('webhookReceivers' in services || 'receiverAddresses' in services) && settings.webhookTrustedOrigins.join(','),
    CRAWL_TRUSTED_ORIGINS:
      ('webPages' in services || 'clientDocuments' in services) && settings.crawlTrustedOrigins.join(','),
  };
  const given = Object.entries(variables).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(given);
};

/**
 * Returns the ARNs of the chat's model. An inference profile (`eu.`, `global.` …) calls a foundation model in any region with
 * capacity, so both must be allowed.
 */
const modelArns = (model: string): string[] => {
  if (model.startsWith('arn:')) return [model];
  const [, geography, foundation] = /^(us|us-gov|eu|apac|au|jp|ca|global)\.(.+)$/.exec(model) ?? [];
  if (!geography) return [`arn:${Aws.PARTITION}:bedrock:${Aws.REGION}::foundation-model/${model}`];
  return [
    `arn:${Aws.PARTITION}:bedrock:${Aws.REGION}:${Aws.ACCOUNT_ID}:inference-profile/${model}`,
    `arn:${Aws.PARTITION}:bedrock:*::foundation-model/${foundation}`,
  ];
};

const writingActions = [
  'BatchWriteItem',
  'DeleteItem',
  'PutItem',
  'UpdateItem',
  'PartiQLInsert',
  'PartiQLUpdate',
  'PartiQLDelete',
].map((action) => `dynamodb:${action}`);

/** Denies a function that writes to the table the writing of guarded items, except by its actions for them. */
const denyGuardedKeys = (actions: string[], data: DataStack): PolicyStatement[] => {
  if (!actions.some((action) => writingActions.includes(action))) return [];
  return Object.entries(guardedKeys).map(
    ([kind, pattern]) =>
      new PolicyStatement({
        effect: Effect.DENY,
        actions: writingActions.filter((action) => !actions.includes(`${action}:${kind}`)),
        resources: [data.table.tableArn],
        conditions: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': [pattern] } },
      }),
  );
};

/** Returns the condition that a request touches only items whose partition keys match. */
const onlyKeys = (pattern: string) => ({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [pattern] } });

const allow = (actions: string[], resources: string[], conditions: Record<string, object> = {}) =>
  new PolicyStatement({ effect: Effect.ALLOW, actions, resources, conditions });
