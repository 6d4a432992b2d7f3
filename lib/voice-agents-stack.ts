import { Aws, CfnOutput, Stack, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { receiveHook } from '../functions/api/receive-hook.ts';
import { administersUsers, isStreamed } from '../functions/http/endpoint.ts';
import { routes } from '../functions/routes.ts';
import { ApiStack } from './api-stack.ts';
import { ChatStack } from './chat-stack.ts';
import { dashboardName } from './dashboard.ts';
import { DataStack } from './data-stack.ts';
import { EdgeStack } from './edge-stack.ts';
import { HeadRoutesStack } from './head-routes-stack.ts';
import { HooksStack } from './hooks-stack.ts';
import { JobsStack } from './jobs-stack.ts';
import { LakeStack } from './lake-stack.ts';
import { OAuthStack } from './oauth-stack.ts';
import { ObservabilityStack } from './observability-stack.ts';
import { OperationsStack } from './operations-stack.ts';
import { deploymentName, type Settings } from './settings.ts';

/**
 * A whole deployment. Its parts are nested stacks, which are deployed and rolled back as one. No stack exports values to another,
 * and all outputs are on this one.
 */
export class VoiceAgentsStack extends Stack {
  readonly data: DataStack;
  readonly api: ApiStack;
  readonly chat: ChatStack | undefined;
  readonly jobs: JobsStack;
  readonly edge: EdgeStack | undefined;
  readonly hooks: HooksStack;
  /** The operations on users, keys and access: the only functions of the API that may write API keys. */
  readonly users: OperationsStack;
  readonly oauth: OAuthStack;
  readonly additionalApi: OperationsStack;
  readonly lake: LakeStack | undefined;
  readonly headRoutes: HeadRoutesStack;
  readonly observability: ObservabilityStack;

  constructor(scope: Construct, settings: Settings) {
    super(scope, deploymentName(settings), {
      description: 'Voice agent platform: block lists, agents, calls, knowledge, invoices and the build chat.',
      terminationProtection: settings.stage === 'prod',
    });
    Tags.of(this).add('deployment', deploymentName(settings));

    const streamed = routes.find(isStreamed);
    const answered = routes.filter((endpoint) => endpoint !== streamed);
    const ofUsers = answered.filter(administersUsers);
    const namingUrl = answered.filter((endpoint) => endpoint.namesPublicUrl);
    const ofAdditionalApi = answered.filter(({ path }) =>
      /\/(platform-keys|reconciliations|block-list-rules|call-exports|consents|transcript)\b/.test(path),
    );
    const apart = [receiveHook, ...ofUsers, ...namingUrl, ...ofAdditionalApi];
    const ofApi = answered.filter((endpoint) => !apart.includes(endpoint));

    this.data = new DataStack(this, 'Data', settings);
    this.jobs = new JobsStack(this, 'Jobs', this.data, settings);
    this.api = new ApiStack(this, 'Api', ofApi, this.data, settings);
    this.users = new OperationsStack(this, 'Users', ofUsers, { data: this.data, api: this.api }, settings);
    this.chat =
      streamed && settings.chat !== 'off'
        ? new ChatStack(this, 'Chat', streamed, { data: this.data, api: this.api }, settings)
        : undefined;
    const chat = streamed && this.chat && { path: streamed.path, stack: this.chat };
    this.edge = settings.edge
      ? new EdgeStack(this, 'Edge', { data: this.data, api: this.api, chat }, settings)
      : undefined;
    const host = settings.domain?.name ?? this.edge?.distribution.distributionDomainName;
    const publicUrl = host ? `https://${host}` : this.api.api.apiEndpoint;
    this.hooks = new HooksStack(this, 'Hooks', receiveHook, { data: this.data, api: this.api, publicUrl }, settings);
    this.oauth = new OAuthStack(this, 'OAuth', namingUrl, { data: this.data, api: this.api, publicUrl }, settings);
    const parts = { data: this.data, api: this.api };
    this.additionalApi = new OperationsStack(this, 'AdditionalApi', ofAdditionalApi, parts, settings);
    this.lake = settings.lake ? new LakeStack(this, 'Lake', this.data, settings) : undefined;
    const stacks = [this.api, this.users, this.oauth, this.additionalApi];
    this.headRoutes = new HeadRoutesStack(this, 'HeadRoutes', stacks);
    this.observability = new ObservabilityStack(
      this,
      'Observability',
      {
        ...{ data: this.data, jobs: this.jobs, api: this.api, endpoints: answered },
        ...{ chat: this.chat, edge: this.edge, oauth: this.oauth },
        // CloudFront serves the documentation.
        runbook: this.edge && `${publicUrl}/docs/operating-on-aws`,
      },
      settings,
    );

    const dashboard = `https://${Aws.REGION}.console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#dashboards/dashboard/`;
    const outputs: Record<string, { value: string | undefined; description: string }> = {
      BaseUrl: { value: publicUrl, description: 'The address of the service.' },
      ApiUrl: { value: this.api.api.apiEndpoint, description: 'The API behind CloudFront.' },
      ChatUrl: { value: this.chat?.url.url, description: 'The chat behind CloudFront.' },
      TableName: { value: this.data.table.tableName, description: 'The DynamoDB table.' },
      FilesBucket: { value: this.data.files.bucketName, description: 'The S3 bucket of uploaded documents.' },
      StripeSecretName: {
        value: this.data.secrets.stripe.attrId,
        description: 'The secret that holds the Stripe key.',
      },
      ChatSigningSecretName: {
        value: this.data.secrets.chatSigning.attrId,
        description: 'The secret that signs the tool results and approvals of the chat.',
      },
      ErasureSecretName: {
        value: this.data.secrets.erasure.attrId,
        description: 'The secret that keys the hashes of erased numbers.',
      },
      AlarmTopic: { value: this.observability.topic.topicArn, description: 'The SNS topic for alarms.' },
      Settings: { value: JSON.stringify(settings.given), description: 'The settings, as they were given.' },
      DashboardUrl: { value: dashboard + dashboardName(settings), description: 'The CloudWatch dashboard.' },
    };
    for (const [name, { value, description }] of Object.entries(outputs)) {
      if (value) new CfnOutput(this, name, { value, description });
    }
  }
}
