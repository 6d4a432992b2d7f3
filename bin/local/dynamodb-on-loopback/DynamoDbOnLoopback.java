import java.util.List;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import software.amazon.dynamodb.services.local.main.ServerRunner;

/**
 * Starts DynamoDB Local with its own arguments, but listens on loopback alone, and only responds to the names of loopback: a page in
 * a browser can make a name of its own lead here. The main class of DynamoDB Local has no option for either.
 * The class file is kept beside this source, because a machine with a Java runtime need not have a compiler. To compile it again,
 * in this folder, with LIB as the folder of DynamoDBLocal.jar: javac --release 17 -g:none -cp "LIB/*:LIB/DynamoDBLocal_lib/*" *.java
 */
public class DynamoDbOnLoopback {
  public static void main(String[] arguments) throws Exception {
    var dynamoDb = ServerRunner.createServerFromCommandLineArgs(arguments);
    var field = dynamoDb.getClass().getDeclaredField("server");
    field.setAccessible(true);
    var server = (Server) field.get(dynamoDb);
    for (var connector : server.getConnectors()) {
      ((ServerConnector) connector).setHost("127.0.0.1");
    }
    var onLoopback = new ContextHandler(server.getHandler(), "/");
    onLoopback.setVirtualHosts(List.of("127.0.0.1", "localhost"));
    server.setHandler(onLoopback);
    dynamoDb.start();
    dynamoDb.join();
  }
}
