import { Duration } from 'aws-cdk-lib';
import { type FunctionUrl, FunctionUrlAuthType, HttpMethod, InvokeMode } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { chatTimeoutSeconds } from '../functions/domain/timeouts.ts';
import { chatCors, cors } from '../functions/http/cors.ts';
import type { AnyEndpoint } from '../functions/http/endpoint.ts';
import { permissionsOf } from '../functions/http/permissions.ts';
import type { DataStack } from './data-stack.ts';
import { NamedNestedStack } from './named-nested-stack.ts';
import { ServiceFunction } from './service-function.ts';
import type { Settings } from './settings.ts';

const memoryMegabytes = 1024;

/** The build chat: an answer that streams needs a Function URL, which API Gateway cannot give. */
export class ChatStack extends NamedNestedStack {
  readonly url: FunctionUrl;

  constructor(scope: Construct, id: string, endpoint: AnyEndpoint, data: DataStack, settings: Settings) {
    super(scope, id);
    const { lambda } = new ServiceFunction(this, data, settings, {
      name: endpoint.name,
      permissions: permissionsOf(endpoint),
      timeoutSeconds: chatTimeoutSeconds,
      memoryMegabytes,
      reservedConcurrency: settings.chatConcurrency === 'shared' ? undefined : settings.chatConcurrency,
    });
    this.url = lambda.addFunctionUrl({
      // Anyone may chat: what one may spend is bounded in the function.
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
  }
}
