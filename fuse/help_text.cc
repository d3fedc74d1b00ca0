// The texts of the daemon for people; see help_text.h.
#include "help_text.h"

#include <fmt/format.h>

#include <string_view>

#include "comch/comch.h"

namespace comch::fuse {
namespace {

// Changes when a file or an order that scripts rely on changes its meaning.
constexpr int kAbi = 1;

}  // namespace

std::string version_text() {
  const std::string_view full = version();
  return fmt::format("comchfs {} abi {}", full.substr(0, full.rfind('.')), kAbi);
}

std::string help_text() {
  return R"(Message channels as files.

    mkdir servers/echo                      make a server and start it
    mkdir clients/me
    echo echo > clients/me/server           connect; returns when conn/ is there
    echo hello > clients/me/conn/send       one write is one message
    cat servers/echo/conn0/get              one open is one message
    rmdir clients/me                        disconnect

Of a connection:
    send put send.framed                    write messages: one per write, one per open,
                                            or many as "LEN\n" + LEN bytes
    recv get recv.framed                    read them, in the same three ways
    state id peer_uid peer_pid stats/       one value per file
    consumers/NAME/                         mkdir, `enable`: buffers that others send into
        recv get recv.framed                read; frames are "LEN PRODUCER IMMEDIATE\n" + bytes
    producers/NAME/                         mkdir, and write an id of remote/ into `target`
        send put send.framed imm            write; cp a file of any size to `put`
    msgq/NAME/                              mkdir, and write `echo` into `kernel`: an emulated
                                            accelerator; comch/msgq_kernel.h is about others
        direction depth max_consumers ...   settings; both, to- or from-accelerator
        producers/NAME/ consumers/NAME/     mkdir; streams as above, of at most 32 bytes
Of a server or client:
    enable state error ctl events           0 and 1; why it failed; orders; what happens
    name device rep server max_msg_size ... settings, to be written while idle
    conn_uid conn_gid conn_mode             whose the connections' directories are
    allow_uid allow_gid                     who may connect: ids, or *
Of the mount:
    devices/ metrics status.json events ctl version

Names that ls shows as links are streams. Reading one takes a message away, and waits
when there is none; tools that walk the tree do not follow links and are safe.
An errno is not all there is to know: `error` has the reason in words.
)";
}

}  // namespace comch::fuse
