import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { type FunctionUrl, FunctionUrlAuthType, HttpMethod, InvokeMode } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { chatTimeoutSeconds } from '../functions/domain/timeouts.ts';
import { chatCors, cors } from '../functions/http/cors.ts';
import { type AnyEndpoint, functionMemoryMegabytes } from '../functions/http/endpoint.ts';
import { endpointPermissions } from '../functions/http/permissions.ts';
import { chatKeys } from '../functions/store/keys.ts';
import type { ApiStack } from './api-stack.ts';
import type { DataStack } from './data-stack.ts';
import { NamedNestedStack } from './named-nested-stack.ts';
import { deployedFunctionName, reservedConcurrency, ServiceFunction } from './service-function.ts';
import type { Settings } from './settings.ts';

/** The build chat. It has a Function URL, because API Gateway's HTTP API cannot stream. */
export class ChatStack extends NamedNestedStack {
  readonly url: FunctionUrl;
  readonly functionName: string;
  /** 5xx responses: failures before the stream begins, and functions that crash or run out of time. */
  readonly serverErrors: Metric;
  readonly failedTurns: Metric;
  readonly exhaustedBudget: Metric;

  constructor(
    scope: Construct,
    id: string,
    endpoint: AnyEndpoint,
    parts: { data: DataStack; api: ApiStack },
    settings: Settings,
  ) {
    super(scope, id);
    const { data, api } = parts;
    const serviceFunction = new ServiceFunction(this, data, settings, {
      name: endpoint.name,
      permissions: endpointPermissions(endpoint),
      services: endpoint.services,
      tableKeys: chatKeys,
      // This is not the address of CloudFront, which is created after the chat, its origin.
      apiUrl: `https://${api.host}`,
      servesHttp: true,
      timeoutSeconds: chatTimeoutSeconds,
      memoryMegabytes: functionMemoryMegabytes(endpoint),
      reservedConcurrency: reservedConcurrency(settings.chatConcurrency),
    });
    this.url = serviceFunction.lambda.addFunctionUrl({
      // Anyone may use the chat: the function limits rate and tokens.
      authType: FunctionUrlAuthType.NONE,
      invokeMode: InvokeMode.RESPONSE_STREAM,
      cors: {
        allowedOrigins: settings.appOrigins,
        allowedMethods: [HttpMethod[endpoint.method]],
        allowedHeaders: [...chatCors.requestHeaders],
        exposedHeaders: [...chatCors.responseHeaders],
        maxAge: Duration.seconds(cors.maxAgeSeconds),
      },
    });

    this.functionName = endpoint.name;
    this.serverErrors = new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'Url5xxCount',
      dimensionsMap: { FunctionName: deployedFunctionName(settings, endpoint.name) },
      statistic: Stats.SUM,
    });
    // A turn that fails after its stream has begun is a successful invocation. Only the log shows the failure.
    this.failedTurns = serviceFunction.countLines('ChatFailedTurns', matchTurns('$.state', 'failed'));
    this.exhaustedBudget = serviceFunction.countLines(
      'ChatBudgetExhausted',
      matchTurns('$.code', 'chat_budget_exhausted'),
    );
  }
}

/** Returns a pattern of lines of the chat's log with this value in a field. */
const matchTurns = (field: string, value: string) =>
  FilterPattern.all(
    FilterPattern.stringValue('$.operation', '=', 'buildChat'),
    FilterPattern.stringValue(field, '=', value),
  );
