import { readFileSync } from 'node:fs';
import { App, type AppProps, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { toKebabCase } from '../../functions/domain/text.ts';
import { isStreamed } from '../../functions/http/endpoint.ts';
import { routes } from '../../functions/routes.ts';
import type { Permission } from '../../functions/service.ts';
import { readSettings } from '../../lib/settings.ts';
import { VoiceAgentsStack } from '../../lib/voice-agents-stack.ts';

const flags = JSON.parse(readFileSync(`${import.meta.dirname}/../../cdk.json`, 'utf8')).context as object;

/** The settings that an operator must give. */
export const required = { stage: 'dev', appOrigin: 'https://app.example.com' };

/** Every setting that an operator can give, for production. */
export const production = {
  stage: 'prod',
  appOrigin: 'https://app.example.com',
  alarmEmail: 'operator@example.com',
  monthlyBudget: '200',
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/0f2a-11',
  webAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/agents/0f2a-11',
  allowedCountries: 'DE,FR',
};

/** Production in the middle of a rotation of the edge's secret, with another model. */
export const inProduction = { ...production, edgeSecretVersion: '2', chatModelId: 'eu.anthropic.claude-x-v1:0' };

/** A deployment without CloudFront, whose model is an inference profile of the operator. */
export const noEdge = {
  ...required,
  edge: 'false',
  chatModelId: 'arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/abc',
};

/** Every other setting at once: synthesizing takes seconds. */
export const everySetting = {
  ...required,
  callRetentionDays: '90',
  chat: 'key',
  chatConcurrency: 'shared',
  chatDailyTokens: '5000',
  chatModelId: 'anthropic.claude-x-v1:0',
  chatRatePerMinute: '7',
  crawlTrustedOrigins: 'https://intranet.example.com',
  edgeSecretVersion: '3',
  hookKeysInAddress: 'false',
  mcpDeletes: 'true',
  mcpOauth: 'false',
  mcpRegistration: 'false',
  quotaAgents: '5000',
  quotaSources: '20',
  webhookTrustedOrigins: 'http://crm.internal:8080',
};

export const buildApp = (context: Record<string, unknown>, more: AppProps = {}) =>
  new App({ context: { ...flags, ...quick, ...context }, stackTraces: false, ...more });

/** Omits bundles, and the source location of each resource, which takes a fifth of the time. */
const quick = { 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-creation-stack-traces': true };

// biome-ignore lint/suspicious/noExplicitAny: a template is JSON
export type Json = any;
export type Resource = { logicalId: string; part: string; type: string; properties: Json; definition: Json };

/** Returns a deployment with the resources of all its parts. Test files in one process share it: synthesizing takes a second. */
export const getDeployment = (context: Record<string, unknown> = required): Deployment => {
  const key = JSON.stringify(context);
  const found = synthesized.get(key) ?? withoutStackTraces(() => synthesize(context));
  synthesized.set(key, found);
  return found;
};

/** CDK keeps a stack trace with each acknowledged rule, which takes a fifth of the time. */
const withoutStackTraces = <Result>(work: () => Result): Result => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
};

/** Synthesizes a deployment. CDK's own rules are checked by the tests of cdk-nag. */
export const synthesize = (context: Record<string, unknown> = required) => {
  const app = buildApp(context, { builtinCloudFormationValidation: false });
  const stack = new VoiceAgentsStack(app, readSettings(app.node.getAllContext()));
  const stacks: Record<string, Stack | undefined> = {
    Root: stack,
    Data: stack.data,
    Jobs: stack.jobs,
    Api: stack.api,
    Chat: stack.chat,
    Edge: stack.edge,
    Hooks: stack.hooks,
    Users: stack.users,
    OAuth: stack.oauth,
    AdditionalApi: stack.additionalApi,
    Lake: stack.lake,
    HeadRoutes: stack.headRoutes,
    Observability: stack.observability,
  };
  const templates: Record<string, Json> = {};
  for (const [part, one] of Object.entries(stacks)) if (one) templates[part] = Template.fromStack(one).toJSON();
  const resources: Resource[] = Object.entries(templates).flatMap(([part, template]) =>
    Object.entries(template.Resources as Record<string, Json>).map(([logicalId, definition]) => ({
      logicalId,
      part,
      type: definition.Type,
      properties: definition.Properties ?? {},
      definition,
    })),
  );
  // This omits the constructs, which would fill the memory of a process that other tests share.
  const { stackName, terminationProtection } = stack;
  return {
    stackName,
    terminationProtection,
    templates,
    resources,
    all: (type: string) => resources.filter((resource) => resource.type === type),
    outputs: templates.Root.Outputs as Record<string, Json>,
  };
};

export type Deployment = ReturnType<typeof synthesize>;

/** This is global, because each test file loads the modules again. */
const shared = globalThis as { synthesized?: Map<string, Deployment> };
shared.synthesized ??= new Map();
const { synthesized } = shared;

export const streamed = routes.filter(isStreamed);
export const answered = routes.filter((endpoint) => !isStreamed(endpoint));
export const listFunctions = (deployment: Deployment) => deployment.all('AWS::Lambda::Function');
export const findFunction = (deployment: Deployment, name: string) =>
  listFunctions(deployment).find(({ properties }) =>
    properties.FunctionName.endsWith(`-${toKebabCase(name)}`),
  ) as Resource;

/** Returns the resource of the same part that a `Ref` or a `Fn::GetAtt` means. */
export const meant = (deployment: Deployment, from: Resource, reference: Json): Resource => {
  const id = reference?.Ref ?? reference?.['Fn::GetAtt']?.[0];
  return deployment.resources.find(({ part, logicalId }) => part === from.part && logicalId === id) as Resource;
};

export const findRole = (deployment: Deployment, one: Resource) => meant(deployment, one, one.properties.Role);

/** Returns the grants of a function, each as `action on resource`. */
export const listGrants = (deployment: Deployment, name: string): string[] => {
  const role = findRole(deployment, findFunction(deployment, name));
  const list = (value: Json): Json[] => (Array.isArray(value) ? value : [value]);
  return role.properties.Policies.flatMap(({ PolicyDocument }: Json) =>
    PolicyDocument.Statement.flatMap((statement: Json) => {
      if (statement.Effect === 'Deny') return [];
      return list(statement.Action).flatMap((action) =>
        list(statement.Resource).map((resource) => `${action} on ${findSubject(resource, statement.Condition)}`),
      );
    }),
  ).sort();
};

/** Names the resource of a statement in a word: those of another part are parameters named after them. */
const findSubject = (resource: Json, condition: Json): string => {
  if (JSON.stringify(condition)?.includes('"dynamodb:LeadingKeys":["FORMAT"]')) return 'format';
  if (JSON.stringify(condition)?.includes('"dynamodb:LeadingKeys":["REQUESTS#*"]')) return 'requests';
  if (JSON.stringify(condition)?.includes('"dynamodb:LeadingKeys":["PARKED*"]')) return 'parked';
  const text = JSON.stringify(resource);
  if (text === '"*"') return '*';
  if (/foundation-model|inference-profile/.test(text)) return 'model';
  if (/Table[0-9A-F]{8}Arn/.test(text)) return 'table';
  if (/Files[0-9A-F]{8}Arn/.test(text)) {
    if (text.includes('/block-list-imports/*')) return 'imports';
    if (text.includes('/exports/*')) return 'exports';
    if (text.includes('/lake/calls/*')) return 'lake';
    if (text.includes('/parked-changes/*')) return 'parked';
    if (text.includes('/aws/lambda/*')) return 'abandoned';
    return text.includes('/documents/*') ? 'documents' : text.includes('/') ? text : 'bucket';
  }
  if (/StripeSecret/.test(text)) return 'stripe';
  if (/ChatSigningSecret/.test(text)) return 'chatSigning';
  if (/ErasureSecret/.test(text)) return 'erasure';
  if (/WebhookEncryptionKey/.test(text)) return 'webhookEncryption';
  const queue = /Queue([A-Za-z]+)[0-9A-F]{8}Arn/.exec(text)?.[1];
  if (queue) return `queue of ${queue}`;
  if (/Log[0-9A-F]{8}/.test(text)) return 'own log';
  return text;
};

export const own = [
  'logs:CreateLogStream on own log',
  'logs:PutLogEvents on own log',
  'xray:PutTelemetryRecords on *',
  'xray:PutTraceSegments on *',
];
const subjects: Record<string, string[]> = {
  dynamodb: ['table'],
  s3: ['documents'],
  's3:ListBucket': ['bucket'],
  bedrock: ['model', 'model'],
};
export const grantsOfPermissions = (permissions: Permission[]) => [
  ...(permissions.some((one) => one.startsWith('dynamodb:')) ? ['dynamodb:GetItem on format'] : []),
  ...permissions.flatMap((permission) => {
    const [service, action, name] = permission.split(':');
    if (name === 'requests') return `${service}:${action} on requests`;
    if (service === 'dynamodb' && name === 'parked') return `dynamodb:${action} on parked`;
    // The exception from a denial is no grant of its own.
    if (service === 'dynamodb' && name) return [];
    if (service === 'sqs') return `sqs:${action} on queue of ${name}`;
    if (service === 's3' && name) return `s3:${action} on ${name}`;
    if (service === 'secretsmanager') return `secretsmanager:${action} on ${name}`;
    return (subjects[permission] ?? subjects[service as string] ?? []).map((on) => `${permission} on ${on}`);
  }),
];
