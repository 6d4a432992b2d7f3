import { readFileSync } from 'node:fs';
import { App, type AppProps, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { readSettings } from '../../lib/settings.ts';
import { VoiceAgentsStack } from '../../lib/voice-agents-stack.ts';

const flags = JSON.parse(readFileSync(`${import.meta.dirname}/../../cdk.json`, 'utf8')).context as object;

/** What an operator must say. */
export const required = { stage: 'dev', appOrigin: 'https://app.example.com' };

/** Everything an operator can say, for production. */
export const production = {
  stage: 'prod',
  appOrigin: 'https://app.example.com',
  alarmEmail: 'operator@example.com',
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/0f2a-11',
  webAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/agents/0f2a-11',
  allowedCountries: 'DE,FR',
};

export const appWith = (context: Record<string, unknown>, more: AppProps = {}) =>
  new App({ context: { ...flags, ...quick, ...context }, stackTraces: false, ...more });

/** Without bundles, and without the place in the source of each resource, which takes a fifth of the time. */
const quick = { 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-creation-stack-traces': true };

// biome-ignore lint/suspicious/noExplicitAny: a template is JSON
export type Json = any;
export type Resource = { logicalId: string; part: string; type: string; properties: Json; definition: Json };

/** Synthesizes a deployment; its resources are those of all its parts. CDK's own rules are checked by the tests of cdk-nag. */
export const deploymentOf = (context: Record<string, unknown> = required) => {
  const app = appWith(context, { builtinCloudFormationValidation: false });
  const stack = new VoiceAgentsStack(app, readSettings(app.node));
  const stacks: Record<string, Stack | undefined> = {
    Root: stack,
    Data: stack.data,
    Jobs: stack.jobs,
    Api: stack.api,
    Chat: stack.chat,
    Edge: stack.edge,
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
  return {
    app,
    stack,
    templates,
    resources,
    all: (type: string) => resources.filter((resource) => resource.type === type),
    outputs: templates.Root.Outputs as Record<string, Json>,
  };
};

export type Deployment = ReturnType<typeof deploymentOf>;
