#pragma once
// The event loop: actors run their programs, meet in communications, and share links. Internal to the engine; the way
// in is simulate().

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "sim/engine/event_queue.h"
#include "sim/engine/folding.h"
#include "sim/engine/matching.h"
#include "sim/engine/network.h"
#include "sim/engine/simulate.h"

namespace stepsim {

/// One run. Reads its inputs, owns its state, is used once.
class Simulator {
 public:
  Simulator(const StepGraph& graph, const Machine& machine, const SimulationOptions& options,
            const Perturbation& perturbation);
  Timeline run();

 private:
  /// An actor's place in its program.
  struct State {
    std::array<std::uint32_t, kStreams> next{};  ///< position in the stream's list of ops
    std::uint16_t open = 0;                      ///< bit s: stream s has ops that have not started
    std::uint16_t busy = 0;                      ///< bit s: an op of stream s has started and not ended
    bool ended_at_once = false;                  ///< while advancing: an op ended in the call that started it
    std::uint16_t asked_host = 0;                ///< bit s: an event will wake the head of stream s
    std::uint32_t running = kNone;               ///< compute op
    std::uint32_t version = 0;                   ///< of its forecast end
    std::int64_t speed = kFullSpeed;
    Int128 work_left = 0;  ///< picoseconds at full speed times kFullSpeed
    SimTime anchor;
    std::int64_t taken = 0;     ///< share of the SMs that moving communications take
    std::uint32_t hop = kNone;  ///< posted ring hop
    int hop_parts = 0;          ///< directions of it still to end
    SimTime hop_part_ended;
    std::uint32_t done = 0;                             ///< ops that ended
    std::array<std::uint32_t, kGroupKinds> meetings{};  ///< collectives posted, by kind of group
    std::vector<std::uint32_t> send_channels, recv_channels;
  };
  /// A phase of a collective on one class of groups.
  struct PhasePlan {
    std::uint32_t bundle = kNone;
    Amount amount = 0;  ///< of each flow
    SimTime latency;
    bool beside_previous = false;
  };
  /// A communication that moves: all phases of a collective, a hop, or a message.
  struct Running {
    enum class Owner : std::uint8_t { meeting, hop, message } owner = Owner::meeting;
    std::uint32_t pair = kNone;  ///< hop: class of its bundle; message: channel
    const std::vector<PhasePlan>* plan = nullptr;
    std::size_t next_phase = 0;
    int in_flight = 0;  ///< transfers of the phases that move now
    SimTime moved;
    std::vector<OpRef> members;
  };
  /// Bytes in flight: one phase.
  struct Transfer {
    std::uint32_t running = kNone, bundle = kNone;
    Amount amount = 0;
  };
  struct ProgramTables {
    std::array<std::vector<std::uint32_t>, kStreams> by_stream;
  };
  static constexpr std::int64_t kFullSpeed = 1 << 16;

  // simulator.cpp
  static std::uint16_t open_streams(const ProgramTables& tables);
  void prepare();
  void prepare_host();
  void handle(const Event& event);
  void settle();
  void apply_speed(std::uint32_t actor);
  void advance(std::uint32_t actor);
  bool advance_stream(std::uint32_t actor, std::size_t stream);
  [[nodiscard]] bool deps_ended(const Actor& actor, std::uint32_t op) const;
  bool host_has_issued(std::uint32_t actor, std::size_t stream, std::uint32_t op);
  void start(std::uint32_t actor, std::uint32_t op);
  void start_compute(std::uint32_t actor, std::uint32_t op);
  [[nodiscard]] SimTime kernel_span(std::uint32_t actor, std::uint32_t op) const;
  void end_compute(std::uint32_t actor);
  void end_op(OpRef ref, SimTime moved);

  // simulator_comm.cpp
  void make_channels();
  void make_channel(std::uint32_t actor, const Op& op);
  std::uint32_t channel_of(std::uint32_t sender, std::uint32_t receiver, std::uint8_t tag);
  void post_collective(OpRef ref);
  void start_meeting(Meeting& meeting);
  const std::vector<PhasePlan>& plan_of(OpRef ref);
  [[nodiscard]] std::vector<PhasePlan> make_plan(std::uint32_t actor, std::uint32_t comm) const;
  [[nodiscard]] bool on_curve(const Comm& comm, const GroupShape& shape, const Algorithm& algorithm) const;
  [[nodiscard]] PhasePlan curve_plan(const Comm& comm, std::uint32_t bundle) const;
  void post_hop(OpRef ref);
  void start_hop(std::uint32_t bundle);
  void end_hop_part(OpRef ref, SimTime moved, bool incoming);
  void end_hop(const Running& running);
  void post_send(OpRef ref);
  void post_recv(OpRef ref);
  void deliver(Channel& channel);
  void end_message(const Running& running);
  [[nodiscard]] SimTime produced_at(OpRef ref) const;

  // simulator_flow.cpp
  std::uint32_t begin(Running running);
  void start_phases(std::uint32_t running);
  void start_transfer(std::uint32_t running, const PhasePlan& phase);
  void join_network(std::uint32_t transfer);
  void end_transfer(std::uint32_t transfer);
  void end_running(std::uint32_t running);
  void take_sms(const Running& running, int sign);
  void count_bytes(const Running& running, const PhasePlan& phase);

  // wait_chain.cpp
  void check_finished() const;
  [[nodiscard]] std::string wait_chain(std::uint32_t actor) const;
  [[nodiscard]] bool finished(std::uint32_t actor) const;
  struct Blocked {
    OpRef at;
    std::string why;
    std::uint32_t next = kNone;
  };
  [[nodiscard]] Blocked blocked_by(std::uint32_t actor) const;
  [[nodiscard]] std::uint32_t first_waiting_op(std::uint32_t actor) const;
  [[nodiscard]] Blocked blocked_meeting(OpRef ref) const;
  [[nodiscard]] Blocked blocked_hop(OpRef ref) const;
  [[nodiscard]] Blocked blocked_recv(OpRef ref) const;
  [[noreturn]] void mismatch(OpRef a, OpRef b, const std::string& what) const;
  [[nodiscard]] std::string describe(OpRef ref) const;
  [[nodiscard]] std::string ranks_of(std::uint32_t actor) const;

  [[nodiscard]] const Program& program_of(std::uint32_t actor) const {
    return graph_.programs[timeline_.actors[actor].program];
  }
  [[nodiscard]] const Op& op_at(OpRef ref) const { return program_of(ref.actor).ops[ref.op]; }
  [[nodiscard]] const Comm& comm_at(OpRef ref) const { return graph_.comms[CommId(op_at(ref).what)]; }
  [[nodiscard]] OpTimes& times_of(OpRef ref) { return timeline_.actors[ref.actor].times[ref.op]; }

  const StepGraph& graph_;
  const Machine& machine_;
  const SimulationOptions& options_;
  const Perturbation& perturbation_;
  Traffic traffic_;
  Folding folding_;
  Network network_;
  EventQueue queue_;
  Timeline timeline_;
  SimTime now_;
  std::vector<SimTime> kernel_spans_;  ///< by KernelId, rounded once
  std::vector<ProgramTables> tables_;
  std::vector<State> states_;
  std::vector<MeetingQueue> meetings_;                                               ///< by class of groups
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<PhasePlan>> plans_;  ///< by group class and CommId
  std::vector<HopPair> hops_;                                                        ///< by class of bundles
  std::vector<Channel> channels_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint8_t>, std::uint32_t>
      channel_numbers_;  ///< sender, receiver, tag
  std::vector<Running> running_;
  std::vector<Transfer> transfers_;
  std::vector<std::uint32_t> free_running_, free_transfers_;
  std::vector<std::uint32_t> to_advance_, to_retime_;
  std::vector<Network::Forecast> forecasts_;
  std::int64_t collective_share_ = 0, one_way_share_ = 0;
};

/// Whether two posts of one collective may meet: the same kind and bytes (all-to-all: bytes may differ, the largest
/// rules).
bool may_meet(const Comm& a, const Comm& b);

}  // namespace stepsim
