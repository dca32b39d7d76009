use strict;
use warnings;
use LWP::UserAgent;

my $agent = LWP::UserAgent->new(env_proxy => 1, keep_alive => 5, timeout => 10);
for my $url (@ARGV) {
    my $response = $url =~ m{/post$} ? $agent->post($url, Content => "hello=1") : $agent->get($url);
    $response->code == 200 or die $response->status_line;
}
